"""``AzureOpenAITarget``: a deployment of Azure OpenAI."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar, Unpack
from urllib.parse import quote, urlsplit

from judgecore.errors import RequestError
from judgecore.targets.endpoint import Endpoint
from judgecore.targets.openai import MaxTokensKey, OpenAITarget, SchemaPlace
from judgecore.targets.registration import register_target

if TYPE_CHECKING:
    from judgecore.targets.batch_dialect import BatchDialect
    from judgecore.targets.endpoint import EndpointOptions

DEFAULT_API_VERSION = "2024-10-21"


@register_target("azure")
class AzureOpenAITarget(OpenAITarget):
    """A deployment of Azure OpenAI, asked with an ``api-key`` header.

    Args:
        deployment: The deployment's name.
        model: The model that is deployed there, for the identity; None where it is named like the deployment.
        endpoint: The resource's address; None for ``AZURE_OPENAI_ENDPOINT``.
        api_version: Such as ``2024-10-21``; None for ``OPENAI_API_VERSION``, else that one.
        schema_in: As ``OpenAITarget``; so is ``max_tokens_key``.
        options: As ``EndpointOptions``; the key is in ``AZURE_OPENAI_API_KEY``.

    Raises:
        RequestError: If there is no deployment or no endpoint, or the endpoint is no address of a resource, or holds a
            password.
    """

    key_variable: ClassVar[str] = "AZURE_OPENAI_API_KEY"

    def __init__(
        self,
        deployment: str,
        *,
        model: str | None = None,
        endpoint: str | None = None,
        api_version: str | None = None,
        schema_in: SchemaPlace = "json_schema",
        max_tokens_key: MaxTokensKey = "max_tokens",
        **options: Unpack[EndpointOptions],
    ) -> None:
        address = endpoint or os.environ.get("AZURE_OPENAI_ENDPOINT")
        if not address:
            raise RequestError("there is no endpoint: set AZURE_OPENAI_ENDPOINT, or the target's endpoint")
        super().__init__(
            model or deployment, base_url=address, schema_in=schema_in, max_tokens_key=max_tokens_key, **options
        )
        if not deployment.strip():
            raise RequestError(f"deployment must be the name of a deployment, not {deployment!r}")
        if urlsplit(self.base_url).path.startswith("/openai"):
            raise RequestError(
                f"{self.base_url[:80]!r} is no resource's address, such as https://NAME.openai.azure.com; for the "
                "v1 API use OpenAITarget with a base_url that ends in /openai/v1"
            )
        self.deployment = deployment
        self.api_version = api_version or os.environ.get("OPENAI_API_VERSION") or DEFAULT_API_VERSION

    def identity_params(self) -> dict[str, Any]:
        """Return all that can change a reply, as JSON values by name."""
        return {**super().identity_params(), "deployment": self.deployment, "api_version": self.api_version}

    def batches(self) -> BatchDialect:
        """Refuse: Azure has batches for deployments of their own kind, under other paths."""
        return Endpoint.batches(self)

    def url(self) -> str:
        """Return the address that requests are sent to."""
        deployment = quote(self.deployment, safe="")
        version = quote(self.api_version, safe="")
        return f"{self.base_url}/openai/deployments/{deployment}/chat/completions?api-version={version}"

    def headers(self) -> dict[str, str]:
        """Return the headers, with the key."""
        return {"api-key": self.reveal_key()}
