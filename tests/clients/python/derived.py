"""What is made from content: a specification in pages, a translation, a space of a template, and a PDF."""

import json
import time
import urllib.request
from collections.abc import Callable
from typing import TypeVar

from bindery_client import AuthenticatedClient
from bindery_client.api.glossary import update_glossary_entries
from bindery_client.api.openapi_specs import (
    create_open_api_spec,
    create_or_update_open_api_spec_by_slug,
    get_latest_open_api_spec_version,
    get_open_api_spec_by_slug,
    get_open_api_spec_version_changes,
)
from bindery_client.api.pdf_exports import get_space_pdf
from bindery_client.api.spaces import create_space
from bindery_client.api.templates import list_templates
from bindery_client.api.translations import (
    cancel_translation_run,
    create_translation,
    delete_translation,
    get_translation,
    run_translation,
    update_translation,
)
from bindery_client.models.create_open_api_spec import CreateOpenApiSpec
from bindery_client.models.create_space import CreateSpace
from bindery_client.models.create_translation import CreateTranslation
from bindery_client.models.insert_glossary_entry import InsertGlossaryEntry
from bindery_client.models.insert_glossary_entry_translations import InsertGlossaryEntryTranslations
from bindery_client.models.open_api_spec import OpenApiSpec
from bindery_client.models.open_api_spec_changes import OpenApiSpecChanges
from bindery_client.models.open_api_spec_processing_state import OpenApiSpecProcessingState
from bindery_client.models.open_api_spec_source_text import OpenApiSpecSourceText
from bindery_client.models.open_api_spec_version import OpenApiSpecVersion
from bindery_client.models.pdf_url import PdfUrl
from bindery_client.models.put_open_api_spec import PutOpenApiSpec
from bindery_client.models.apply_template import ApplyTemplate
from bindery_client.models.space import Space
from bindery_client.models.template_list import TemplateList
from bindery_client.models.translation import Translation
from bindery_client.models.translation_language import TranslationLanguage
from bindery_client.models.translation_source_input import TranslationSourceInput
from bindery_client.models.translation_status import TranslationStatus
from bindery_client.models.update_glossary import UpdateGlossary
from bindery_client.models.update_translation import UpdateTranslation
from bindery_client.types import Unset

T = TypeVar("T")


def derive(client: AuthenticatedClient, organization: str, space: str) -> None:
    specify(client, organization)
    translate(client, organization, space)
    from_template(client, organization)
    print_book(client, space)


def eventually(read: Callable[[], T], is_done: Callable[[T], bool]) -> T:
    """What is made in the background is read until it is there."""
    deadline = time.monotonic() + 60
    while True:
        value = read()
        if is_done(value):
            return value
        assert time.monotonic() < deadline, value
        time.sleep(0.1)


def specify(client: AuthenticatedClient, organization: str) -> None:
    slug = "grippers"

    def processed() -> OpenApiSpecVersion:
        def read() -> OpenApiSpec:
            spec = get_open_api_spec_by_slug.sync(organization, slug, client=client)
            assert isinstance(spec, OpenApiSpec), spec
            return spec

        spec = eventually(read, lambda spec: spec.processing_state == OpenApiSpecProcessingState.COMPLETE)
        assert isinstance(spec.last_process_error_code, Unset), spec
        version = get_latest_open_api_spec_version.sync(organization, slug, client=client)
        assert isinstance(version, OpenApiSpecVersion), version
        return version

    body = CreateOpenApiSpec(slug=slug, source=OpenApiSpecSourceText(text=document("/grippers", "/fingers")))
    assert isinstance(create_open_api_spec.sync(organization, client=client, body=body), OpenApiSpec)
    first = processed()
    less = PutOpenApiSpec(source=OpenApiSpecSourceText(text=document("/grippers")))
    put = create_or_update_open_api_spec_by_slug.sync(organization, slug, client=client, body=less)
    assert isinstance(put, OpenApiSpec), put
    second = processed()
    assert second.id != first.id
    changes = get_open_api_spec_version_changes.sync(organization, slug, second.id, client=client)
    assert isinstance(changes, OpenApiSpecChanges), changes
    assert changes.since == first.id
    assert changes.impact == "breaking" and changes.count == 1, changes


def document(*paths: str) -> str:
    """A specification with these paths."""
    operation = {"get": {"responses": {"200": {"description": "They."}}}}
    info = {"title": "Grippers", "version": "1"}
    return json.dumps({"openapi": "3.1.0", "info": info, "paths": {path: operation for path in paths}})


def translate(client: AuthenticatedClient, organization: str, space: str) -> None:
    words = InsertGlossaryEntryTranslations.from_dict({"en": "screw", "de": "Schraube"})
    insert = UpdateGlossary(operations=[InsertGlossaryEntry(type_="insert", translations=words)])
    assert update_glossary_entries.sync_detailed(organization, client=client, body=insert).status_code == 204

    source = TranslationSourceInput(space=space, language=TranslationLanguage.EN)
    new = CreateTranslation(source=source, language=TranslationLanguage.DE)
    made = create_translation.sync(organization, client=client, body=new)
    assert isinstance(made, Translation), made

    def completed(runs: int) -> Translation:
        def read() -> Translation:
            found = get_translation.sync(organization, made.id, client=client)
            assert isinstance(found, Translation), found
            return found

        return eventually(read, lambda it: it.status == TranslationStatus.COMPLETED and it.stats.runs >= runs)

    # The server has no engine, so the words are those of the source.
    first = completed(1)
    assert first.engine == "none" and first.stats.total_words == 0, first
    changed = UpdateTranslation(instructions=first.instructions, auto_run=True)
    updated = update_translation.sync(organization, made.id, client=client, body=changed)
    assert isinstance(updated, Translation) and updated.auto_run is True, updated
    assert run_translation.sync_detailed(organization, made.id, client=client).status_code == 204
    completed(2)
    assert cancel_translation_run.sync_detailed(organization, made.id, client=client).status_code == 204
    assert delete_translation.sync_detailed(organization, made.id, client=client).status_code == 204


def from_template(client: AuthenticatedClient, organization: str) -> None:
    templates = list_templates.sync(organization, client=client)
    assert isinstance(templates, TemplateList), templates
    built_in = [template for template in templates.items if template.built_in and not template.parameters]
    template = built_in[0]
    body = CreateSpace(title="From a template", template=ApplyTemplate(id=template.id))
    space = create_space.sync(organization, client=client, body=body)
    assert isinstance(space, Space), space


def print_book(client: AuthenticatedClient, space: str) -> None:
    pdf = get_space_pdf.sync(space, client=client)
    assert isinstance(pdf, PdfUrl), pdf

    def read() -> tuple[int, bytes]:
        with urllib.request.urlopen(pdf.url, timeout=60) as answer:
            return answer.status, answer.read()

    _, content = eventually(read, lambda answer: answer[0] == 200)
    assert content.startswith(b"%PDF-"), content[:20]
