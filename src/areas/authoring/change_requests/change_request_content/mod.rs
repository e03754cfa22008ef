//! The content of change requests.

mod template;
mod update;

use entity::ids::{FileId, PageId, ReusableContentId};
use openapi::{
    answer::{Conditional, Tagged},
    error::ApiError,
    models::{
        ChangeRequestContentAnswer, ContentPage, PageTree, PageWithPath, Revision, RevisionFile, RevisionFileList,
        RevisionPageMetaLinks, RevisionReusableContent, UpdateContent,
    },
    operations::change_request_content::{
        ChangeRequestContentApi, GetFileInChangeRequestByIdHeaders, GetFileInChangeRequestByIdQuery,
        GetPageInChangeRequestByIdHeaders, GetPageInChangeRequestByIdQuery, GetPageInChangeRequestByPathHeaders,
        GetPageInChangeRequestByPathQuery, GetReusableContentInChangeRequestByIdHeaders,
        GetReusableContentInChangeRequestByIdQuery, GetRevisionOfChangeRequestByIdHeaders,
        GetRevisionOfChangeRequestByIdQuery, ListFilesInChangeRequestByIdHeaders, ListFilesInChangeRequestByIdQuery,
        ListPagesInChangeRequestHeaders, ListPagesInChangeRequestQuery, UpdateChangeRequestContentHeaders,
        UpdateChangeRequestContentQuery,
    },
};

pub use self::template::apply_template;

use crate::{
    access::ChangeRequestAccess,
    areas::authoring::{
        Authoring, change_requests,
        reader::{PageForm, RevisionReader},
    },
};

/// A reader of the current content of the change request.
async fn current<'a>(
    authoring: &'a Authoring,
    access: &ChangeRequestAccess,
    if_none_match: Option<String>,
) -> Result<RevisionReader<'a>, ApiError> {
    RevisionReader::open(
        authoring,
        access.request.space_id,
        access.request.revision_id,
        if_none_match,
    )
    .await
}

impl ChangeRequestContentApi for Authoring {
    async fn get_revision_of_change_request_by_id(
        &self,
        access: ChangeRequestAccess,
        query: GetRevisionOfChangeRequestByIdQuery,
        headers: GetRevisionOfChangeRequestByIdHeaders,
    ) -> Result<Conditional<Revision>, ApiError> {
        let reader = current(self, &access, headers.if_none_match)
            .await?
            .with_computed(query.computed)
            .with_metadata(&access.row.space, query.metadata);
        let merged = change_requests::load_merged_by(&self.kernel, &reader.revision).await?;
        reader.revision(merged).await
    }

    async fn update_change_request_content(
        &self,
        access: ChangeRequestAccess,
        query: UpdateChangeRequestContentQuery,
        headers: UpdateChangeRequestContentHeaders,
        body: UpdateContent,
    ) -> Result<Tagged<ChangeRequestContentAnswer>, ApiError> {
        update::update_content(&self.contents, &access, query.compat, headers.if_match.as_deref(), body).await
    }

    async fn list_pages_in_change_request(
        &self,
        access: ChangeRequestAccess,
        query: ListPagesInChangeRequestQuery,
        headers: ListPagesInChangeRequestHeaders,
    ) -> Result<Conditional<PageTree>, ApiError> {
        current(self, &access, headers.if_none_match)
            .await?
            .with_computed(query.computed)
            .with_metadata(&access.row.space, query.metadata)
            .pages()
            .await
    }

    async fn list_files_in_change_request_by_id(
        &self,
        access: ChangeRequestAccess,
        query: ListFilesInChangeRequestByIdQuery,
        headers: ListFilesInChangeRequestByIdHeaders,
    ) -> Result<Conditional<RevisionFileList>, ApiError> {
        let reader = current(self, &access, headers.if_none_match).await?;
        reader
            .with_metadata(&access.row.space, query.metadata)
            .files("change-request", query.page, query.limit)
            .await
    }

    async fn get_file_in_change_request_by_id(
        &self,
        access: ChangeRequestAccess,
        file_id: FileId,
        query: GetFileInChangeRequestByIdQuery,
        headers: GetFileInChangeRequestByIdHeaders,
    ) -> Result<Conditional<RevisionFile>, ApiError> {
        let reader = current(self, &access, headers.if_none_match).await?;
        reader
            .with_metadata(&access.row.space, query.metadata)
            .file(file_id)
            .await
    }

    async fn get_page_in_change_request_by_id(
        &self,
        access: ChangeRequestAccess,
        page_id: PageId,
        query: GetPageInChangeRequestByIdQuery,
        headers: GetPageInChangeRequestByIdHeaders,
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

    async fn list_change_request_page_meta_links(
        &self,
        access: ChangeRequestAccess,
        page_id: PageId,
    ) -> Result<RevisionPageMetaLinks, ApiError> {
        let reader = current(self, &access, None).await?;
        reader.meta_links(&access.member, page_id).await
    }

    async fn get_page_in_change_request_by_path(
        &self,
        access: ChangeRequestAccess,
        page_path: String,
        query: GetPageInChangeRequestByPathQuery,
        headers: GetPageInChangeRequestByPathHeaders,
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

    async fn get_reusable_content_in_change_request_by_id(
        &self,
        access: ChangeRequestAccess,
        reusable_content_id: ReusableContentId,
        query: GetReusableContentInChangeRequestByIdQuery,
        headers: GetReusableContentInChangeRequestByIdHeaders,
    ) -> Result<Conditional<RevisionReusableContent>, ApiError> {
        let reader = current(self, &access, headers.if_none_match).await?;
        reader
            .with_metadata(&access.row.space, query.metadata)
            .reusable_content(reusable_content_id)
            .await
    }
}
