"""``AzureOpenAITarget``: a deployment of Azure OpenAI."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from judgecore.errors import RequestError
from judgecore.identity import class_identifier
from judgecore.targets.credential import Credential
from judgecore.targets.endpoint import CONNECT_TIMEOUT_S, MAX_BYTES, READ_TIMEOUT_S
from judgecore.targets.openai import OpenAITarget, SchemaPlace

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

    from judgecore.identity import ComponentIdentifier
    from judgecore.targets.pacing import Pacing

DEFAULT_API_VERSION = "2024-10-21"


class AzureOpenAITarget(OpenAITarget):
    """A deployment of Azure OpenAI, asked with an ``api-key`` header.

    Args:
        deployment: The deployment's name.
        model: The model that is deployed there, for the identity; None where it is named like the deployment.
        api_key: The key; None for ``AZURE_OPENAI_API_KEY``, looked up when a request is sent. It is never shown.
        endpoint: The resource's address; None for ``AZURE_OPENAI_ENDPOINT``.
        api_version: Such as ``2024-10-21``; None for ``OPENAI_API_VERSION``, else that one.
        temperature: As ``OpenAITarget``; so are all others.

    Raises:
        RequestError: If there is no endpoint, or it is no address, or holds a password.
    """

    def __init__(
        self,
        deployment: str,
        *,
        model: str | None = None,
        api_key: str | None = None,
        endpoint: str | None = None,
        api_version: str | None = None,
        temperature: float | None = None,
        top_p: float | None = None,
        schema_in: SchemaPlace = "json_schema",
        max_tokens_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens",
        extra: Mapping[str, Any] | None = None,
        pacing: Pacing | None = None,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        read_timeout_s: float = READ_TIMEOUT_S,
        max_bytes: int = MAX_BYTES,
        client: httpx.AsyncClient | None = None,
    ) -> None:
        address = endpoint or os.environ.get("AZURE_OPENAI_ENDPOINT")
        if not address:
            raise RequestError("there is no endpoint: set AZURE_OPENAI_ENDPOINT, or pass endpoint=")
        super().__init__(
            model or deployment,
            api_key=api_key,
            base_url=address,
            temperature=temperature,
            top_p=top_p,
            schema_in=schema_in,
            max_tokens_key=max_tokens_key,
            extra=extra,
            pacing=pacing,
            connect_timeout_s=connect_timeout_s,
            read_timeout_s=read_timeout_s,
            max_bytes=max_bytes,
            client=client,
        )
        self._credential = Credential(api_key, "AZURE_OPENAI_API_KEY")
        self.deployment = deployment
        self.api_version = api_version or os.environ.get("OPENAI_API_VERSION") or DEFAULT_API_VERSION

    def get_identifier(self) -> ComponentIdentifier:
        """Return what the target is: model, sampling, deployment and endpoint, never a key."""
        params = super().get_identifier().params
        own = {"deployment": self.deployment, "api_version": self.api_version}
        return class_identifier(self, params={**params, **own})

    def _url(self) -> str:
        deployment = quote(self.deployment, safe="")
        version = quote(self.api_version, safe="")
        return f"{self.base_url}/openai/deployments/{deployment}/chat/completions?api-version={version}"

    def _headers(self) -> dict[str, str]:
        return {"api-key": self._credential.reveal()}
