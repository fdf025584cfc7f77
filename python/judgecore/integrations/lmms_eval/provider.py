"""``ProviderFactory``: make judges by the name of their provider."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from judgecore.errors import RequestError
from judgecore.integrations.lmms_eval.server import ServerInterface
from judgecore.integrations.lmms_eval.target_server import TargetServer
from judgecore.targets import AzureOpenAITarget, CallableTarget, Endpoint, OpenAITarget, Pacing
from judgecore.targets.redaction import Credential
from judgecore.targets.registration import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable

    from judgecore.integrations.lmms_eval.protocol import ServerConfig
    from judgecore.targets import JudgeRequest

# These models need max_completion_tokens and reject temperature.
_REASONING = ("gpt-5", "o1", "o3", "o4")


def openai_target(config: ServerConfig) -> OpenAITarget:
    """Make a target for the endpoint of ``OPENAI_API_URL``, lmms-eval's variable, or of ``OPENAI_BASE_URL``."""
    return OpenAITarget(config.model_name, base_url=os.environ.get("OPENAI_API_URL"), **_settings_of(config))


def azure_target(config: ServerConfig) -> AzureOpenAITarget:
    """Make a target for an Azure deployment, by lmms-eval's variables ``AZURE_ENDPOINT`` and ``AZURE_API_KEY``.

    ``API_VERSION`` is the API version. The variables of ``AzureOpenAITarget`` are used for those that are not set.
    """
    return _AzureTarget(config)


def dummy_target(config: ServerConfig) -> CallableTarget:
    """Make a target that always replies ``dummy``, which is not a verdict, for a run without costs."""
    del config
    return CallableTarget(_say_dummy, name="dummy")


class _AzureTarget(AzureOpenAITarget):
    """An Azure deployment whose URL and key are in lmms-eval's variables."""

    def __init__(self, config: ServerConfig) -> None:
        endpoint = os.environ.get("AZURE_ENDPOINT") or os.environ.get("AZURE_OPENAI_ENDPOINT")
        if not endpoint:
            raise RequestError("no endpoint is set; set AZURE_ENDPOINT")
        version = os.environ.get("API_VERSION")
        super().__init__(config.model_name, endpoint=endpoint, api_version=version, **_settings_of(config))
        if os.environ.get("AZURE_API_KEY") or not os.environ.get("AZURE_OPENAI_API_KEY"):
            self._credential = Credential(None, "AZURE_API_KEY")


def _endpoint_target(kind: type[Endpoint], config: ServerConfig) -> Endpoint:
    return kind(config.model_name, **_options_of(config))


def _settings_of(config: ServerConfig) -> dict[str, Any]:
    """Return the arguments of an OpenAI target for a configuration."""
    is_reasoning = config.model_name.startswith(_REASONING)
    return {
        **_options_of(config),
        "temperature": None if is_reasoning else config.temperature,
        "max_tokens_key": "max_completion_tokens" if is_reasoning else "max_tokens",
        "extra": {"response_format": {"type": "json_object"}} if config.response_format == "json" else {},
    }


def _options_of(config: ServerConfig) -> dict[str, Any]:
    return {
        "temperature": config.temperature,
        "top_p": config.top_p,
        "pacing": Pacing(
            concurrency=config.max_concurrent, attempts=config.num_retries, backoff_s=config.retry_delay or 0.5
        ),
        "read_timeout_s": config.timeout,
    }


def _say_dummy(request: JudgeRequest) -> str:
    del request
    return "dummy"


class ProviderFactory:
    """Makes judges by the name of their provider.

    The providers are ``openai``, ``azure``, ``async_openai`` and ``async_azure``, each of which supports synchronous
    and asynchronous calls, ``dummy``, and every endpoint that is registered with
    ``judgecore.targets.register_target``, such as ``anthropic``. You can register your own servers here.
    """

    _providers: ClassVar[dict[str, Callable[[ServerConfig | None], ServerInterface]]] = {
        "async_azure": partial(TargetServer, azure_target),
        "async_openai": partial(TargetServer, openai_target),
        "azure": partial(TargetServer, azure_target),
        "dummy": partial(TargetServer, dummy_target),
        "openai": partial(TargetServer, openai_target),
    }

    @classmethod
    def register_provider(cls, api_type: str, provider: Callable[[ServerConfig | None], ServerInterface]) -> None:
        """Register a provider.

        Args:
            api_type: Its name; a provider with the same name is replaced.
            provider: A subclass of ``ServerInterface``, or a function that makes an instance from a configuration.

        Raises:
            TypeError: If it is another class, or not callable.
        """
        if isinstance(provider, type) and not issubclass(provider, ServerInterface):
            raise TypeError(f"{provider.__name__} must be a subclass of ServerInterface")
        if not callable(provider):
            raise TypeError(f"a provider must be a class or a function, not {type(provider).__name__}")
        cls._providers[api_type] = provider

    @classmethod
    def create_provider(cls, api_type: str | None = None, config: ServerConfig | None = None) -> ServerInterface:
        """Make a judge.

        Args:
            api_type: The provider's name; None for the value of ``API_TYPE``, else ``openai``.
            config: The configuration; None for the default.

        Raises:
            ValueError: If there is no such provider; the message lists the providers.
        """
        name = (os.environ.get("API_TYPE") or "openai").lower() if api_type is None else api_type
        if name in cls._providers:
            return cls._providers[name](config)
        kind = TARGETS.find(name)
        if kind is None or not issubclass(kind, Endpoint):
            endpoints = (one for one, registered in TARGETS.classes().items() if issubclass(registered, Endpoint))
            known = ", ".join(sorted({*cls._providers, *endpoints}))
            raise ValueError(f"there is no provider {name!r}; the providers are {known}; register_provider adds others")
        return TargetServer(partial(_endpoint_target, kind), config)


def get_server(server_name: str, config: ServerConfig | None = None) -> ServerInterface:
    """Make a judge by the name of its provider.

    Args:
        server_name: The provider's name, as for ``ProviderFactory.create_provider``.
        config: The configuration; None for the default.

    Raises:
        ValueError: If there is no such provider.
    """
    return ProviderFactory.create_provider(server_name, config)
