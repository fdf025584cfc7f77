"""``ProviderFactory``: judges by name."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from judgecore.errors import RequestError
from judgecore.integrations.lmms_eval.server import ServerInterface
from judgecore.integrations.lmms_eval.target_server import TargetServer
from judgecore.targets import AzureOpenAITarget, CallableTarget, Endpoint, OpenAITarget, Pacing
from judgecore.targets.credential import Credential
from judgecore.targets.registration import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable

    from judgecore.integrations.lmms_eval.protocol import ServerConfig
    from judgecore.targets import JudgeRequest

# These take max_completion_tokens and no temperature.
_REASONING = ("gpt-5", "o1", "o3", "o4")


def openai_target(config: ServerConfig) -> OpenAITarget:
    """Make the endpoint of ``OPENAI_API_URL``, as lmms-eval calls it, or of ``OPENAI_BASE_URL``, a target.

    Args:
        config: How it is asked.
    """
    return OpenAITarget(config.model_name, base_url=os.environ.get("OPENAI_API_URL"), **_settings_of(config))


def azure_target(config: ServerConfig) -> AzureOpenAITarget:
    """Make the deployment that lmms-eval's variables name a target: ``AZURE_ENDPOINT``, ``AZURE_API_KEY``.

    ``API_VERSION`` is its version. Judgecore's own variables, those of ``AzureOpenAITarget``, stand in for each.

    Args:
        config: How it is asked; the model's name is that of the deployment.

    Raises:
        RequestError: If there is no endpoint.
    """
    return _AzureTarget(config)


def dummy_target(config: ServerConfig) -> CallableTarget:
    """Make a target that says ``dummy`` to everything, which is no verdict, so that a run can be tried for nothing.

    Args:
        config: Not used.
    """
    del config
    return CallableTarget(_say_dummy, name="dummy")


class _AzureTarget(AzureOpenAITarget):
    """A deployment whose address and key stand in lmms-eval's variables."""

    def __init__(self, config: ServerConfig) -> None:
        endpoint = os.environ.get("AZURE_ENDPOINT") or os.environ.get("AZURE_OPENAI_ENDPOINT")
        if not endpoint:
            raise RequestError("there is no endpoint: set AZURE_ENDPOINT")
        version = os.environ.get("API_VERSION")
        super().__init__(config.model_name, endpoint=endpoint, api_version=version, **_settings_of(config))
        if os.environ.get("AZURE_API_KEY") or not os.environ.get("AZURE_OPENAI_API_KEY"):
            self._credential = Credential(None, "AZURE_API_KEY")


def _endpoint_target(kind: type[Endpoint], config: ServerConfig) -> Endpoint:
    """Make a target of a registered class."""
    return kind(config.model_name, **_options_of(config))


def _settings_of(config: ServerConfig) -> dict[str, Any]:
    """What of a config an endpoint of OpenAI's kind is made with."""
    is_reasoning = config.model_name.startswith(_REASONING)
    return {
        **_options_of(config),
        "temperature": None if is_reasoning else config.temperature,
        "max_tokens_key": "max_completion_tokens" if is_reasoning else "max_tokens",
        "extra": {"response_format": {"type": "json_object"}} if config.response_format == "json" else {},
    }


def _options_of(config: ServerConfig) -> dict[str, Any]:
    """What of a config any endpoint is made with."""
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
    """Makes judges by the name of their kind.

    There are ``openai``, ``azure``, ``async_openai`` and ``async_azure``, each of which can be asked in either way, and
    ``dummy``, and every endpoint that is registered by ``judgecore.targets.register_target``, such as ``anthropic``;
    servers of your own can be registered here.
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
        """Name a kind of judge.

        Args:
            api_type: Its name; one that is taken gets this meaning.
            provider: A subclass of ``ServerInterface``, or a function that makes one of a config.

        Raises:
            TypeError: If it is a class of another kind, or can't be called.
        """
        if isinstance(provider, type) and not issubclass(provider, ServerInterface):
            raise TypeError(f"{provider.__name__} must be a subclass of ServerInterface")
        if not callable(provider):
            raise TypeError(f"a provider is a class or a function, not {type(provider).__name__}")
        cls._providers[api_type] = provider

    @classmethod
    def create_provider(cls, api_type: str | None = None, config: ServerConfig | None = None) -> ServerInterface:
        """Make a judge.

        Args:
            api_type: The name of its kind; None for what ``API_TYPE`` names, else ``openai``.
            config: How it is asked.

        Raises:
            ValueError: If there is no such kind; the message lists those that there are.
        """
        name = (os.environ.get("API_TYPE") or "openai").lower() if api_type is None else api_type
        if name in cls._providers:
            return cls._providers[name](config)
        kind = TARGETS.find(name)
        if kind is None or not issubclass(kind, Endpoint):
            endpoints = (one for one, registered in TARGETS.classes().items() if issubclass(registered, Endpoint))
            known = ", ".join(sorted({*cls._providers, *endpoints}))
            raise ValueError(f"there is no provider {name!r}; there are {known}; register_provider adds yours")
        return TargetServer(partial(_endpoint_target, kind), config)


def get_server(server_name: str, config: ServerConfig | None = None) -> ServerInterface:
    """Make a judge by the name of its kind.

    Args:
        server_name: As ``ProviderFactory.create_provider`` takes it.
        config: How it is asked.

    Raises:
        ValueError: If there is no such kind.
    """
    return ProviderFactory.create_provider(server_name, config)
