//! The content of spaces: revisions of pages and files.

mod computed;
mod template;

use entity::ids::{FileId, PageId, ReusableContentId};
use openapi::{
    answer::{Conditional, Tagged},
    error::ApiError,
    models::{
        ApplyTemplateToSpace, ComputedRevision, ContentPage, Document, PageTree, PageWithPath, ReadComputedDocument,
        ReadComputedRevision, Revision, RevisionFile, RevisionFileList, RevisionPageMetaLinks, RevisionReusableContent,
        SpaceContentUpdate, UpdateContent,
    },
    operations::content::{
        ApplyTemplateToSpaceHeaders, ContentApi, GetComputedDocumentQuery, GetCurrentRevisionHeaders,
        GetCurrentRevisionQuery, GetDocumentByIdHeaders, GetDocumentByIdQuery, GetFileByIdHeaders, GetFileByIdQuery,
        GetPageByIdHeaders, GetPageByIdQuery, GetPageByPathHeaders, GetPageByPathQuery, GetReusableContentByIdHeaders,
        GetReusableContentByIdQuery, ListFilesHeaders, ListFilesQuery, ListPagesHeaders, ListPagesQuery,
        UpdateSpaceContentHeaders,
    },
};

use crate::{
    access::SpaceAccess,
    areas::authoring::{
        Authoring, change_requests,
        editor::write,
        reader::{self, PageForm, RevisionReader},
    },
};

/// A reader of the current content of the space.
async fn current<'a>(
    authoring: &'a Authoring,
    access: &SpaceAccess,
    if_none_match: Option<String>,
) -> Result<RevisionReader<'a>, ApiError> {
    RevisionReader::open_for(authoring, access, access.row.space.revision_id, if_none_match).await
}

impl ContentApi for Authoring {
    async fn get_current_revision(
        &self,
        access: SpaceAccess,
        query: GetCurrentRevisionQuery,
        headers: GetCurrentRevisionHeaders,
    ) -> Result<Conditional<Revision>, ApiError> {
        let reader = current(self, &access, headers.if_none_match)
            .await?
            .with_computed(query.computed)
            .with_metadata(&access.row.space, query.metadata);
        let merged = change_requests::load_merged_for(&self.kernel, &access, &reader.revision).await?;
        reader.revision(merged).await
    }

    async fn update_space_content(
        &self,
        access: SpaceAccess,
        headers: UpdateSpaceContentHeaders,
        body: UpdateContent,
    ) -> Result<Tagged<SpaceContentUpdate>, ApiError> {
        write::update_content(&self.contents, &access, headers.if_match.as_deref(), body).await
    }

    async fn apply_template_to_space(
        &self,
        access: SpaceAccess,
        headers: ApplyTemplateToSpaceHeaders,
        body: ApplyTemplateToSpace,
    ) -> Result<(), ApiError> {
        template::apply(&self.contents, access, headers.if_match.as_deref(), body).await
    }

    async fn list_pages(
        &self,
        access: SpaceAccess,
        query: ListPagesQuery,
        headers: ListPagesHeaders,
    ) -> Result<Conditional<PageTree>, ApiError> {
        current(self, &access, headers.if_none_match)
            .await?
            .with_computed(query.computed)
            .with_metadata(&access.row.space, query.metadata)
            .pages()
            .await
    }

    async fn list_files(
        &self,
        access: SpaceAccess,
        query: ListFilesQuery,
        headers: ListFilesHeaders,
    ) -> Result<Conditional<RevisionFileList>, ApiError> {
        let reader = current(self, &access, headers.if_none_match).await?;
        reader
            .with_metadata(&access.row.space, query.metadata)
            .files("space", query.page, query.limit)
            .await
    }

    async fn get_file_by_id(
        &self,
        access: SpaceAccess,
        file_id: FileId,
        query: GetFileByIdQuery,
        headers: GetFileByIdHeaders,
    ) -> Result<Conditional<RevisionFile>, ApiError> {
        current(self, &access, headers.if_none_match)
            .await?
            .with_metadata(&access.row.space, query.metadata)
            .file(file_id)
            .await
    }

    async fn get_page_by_id(
        &self,
        access: SpaceAccess,
        page_id: PageId,
        query: GetPageByIdQuery,
        headers: GetPageByIdHeaders,
    ) -> Result<Conditional<ContentPage>, ApiError> {
        let reader = current(self, &access, headers.if_none_match)
            .await?
            .with_computed(query.computed)
            .with_metadata(&access.row.space, query.metadata);
        let form = PageForm {
            format: query.format,
            refs: query.format_markdown_refs,
            evaluated: query.evaluated,
            dereferenced: query.dereferenced,
        };
        reader.page(page_id, form).await
    }

    async fn list_space_page_meta_links(
        &self,
        access: SpaceAccess,
        page_id: PageId,
    ) -> Result<RevisionPageMetaLinks, ApiError> {
        let reader = current(self, &access, None).await?;
        reader.meta_links(&access.member, page_id).await
    }

    async fn get_page_by_path(
        &self,
        access: SpaceAccess,
        page_path: String,
        query: GetPageByPathQuery,
        headers: GetPageByPathHeaders,
    ) -> Result<Conditional<PageWithPath>, ApiError> {
        let reader = current(self, &access, headers.if_none_match)
            .await?
            .with_computed(query.computed)
            .with_metadata(&access.row.space, query.metadata);
        let form = PageForm {
            format: query.format,
            refs: query.format_markdown_refs,
            evaluated: query.evaluated,
            dereferenced: query.dereferenced,
        };
        reader.page_by_path(&page_path, form).await
    }

    async fn get_reusable_content_by_id(
        &self,
        access: SpaceAccess,
        reusable_content_id: ReusableContentId,
        query: GetReusableContentByIdQuery,
        headers: GetReusableContentByIdHeaders,
    ) -> Result<Conditional<RevisionReusableContent>, ApiError> {
        let reader = current(self, &access, headers.if_none_match).await?;
        reader
            .with_metadata(&access.row.space, query.metadata)
            .reusable_content(reusable_content_id)
            .await
    }

    async fn get_document_by_id(
        &self,
        access: SpaceAccess,
        document_id: String,
        _: GetDocumentByIdQuery,
        headers: GetDocumentByIdHeaders,
    ) -> Result<Conditional<Document>, ApiError> {
        let kept = headers.if_none_match.as_deref();
        reader::document(self, &access, &document_id, kept).await
    }

    async fn get_computed_document(
        &self,
        access: SpaceAccess,
        _: GetComputedDocumentQuery,
        body: ReadComputedDocument,
    ) -> Result<Document, ApiError> {
        computed::document(self, &access, body).await
    }

    async fn get_computed_revision(
        &self,
        access: SpaceAccess,
        body: ReadComputedRevision,
    ) -> Result<ComputedRevision, ApiError> {
        computed::revision(self, &access, body).await
    }
}
