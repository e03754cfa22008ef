//! The content of change requests.

mod editing;

use openapi::{
    answer::{Conditional, Tagged},
    error::ApiError,
    models::{
        ChangeRequestContentAnswer, ContentPage, PageTree, PageWithPath, Revision, RevisionFile, RevisionFileList,
        RevisionReusableContent, UpdateContent,
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

use crate::{
    access::ChangeRequestAccess,
    app::App,
    areas::authoring::{change_requests, reader::Reading},
};

/// What the change request holds now.
async fn current<'a>(
    app: &'a App,
    access: &ChangeRequestAccess,
    if_none_match: Option<String>,
) -> Result<Reading<'a>, ApiError> {
    Reading::of(app, access.request.space_id, access.request.revision_id, if_none_match).await
}

impl ChangeRequestContentApi for App {
    async fn get_revision_of_change_request_by_id(
        &self,
        access: ChangeRequestAccess,
        _: GetRevisionOfChangeRequestByIdQuery,
        headers: GetRevisionOfChangeRequestByIdHeaders,
    ) -> Result<Conditional<Revision>, ApiError> {
        let reading = current(self, &access, headers.if_none_match).await?;
        let merged = change_requests::merged_by(self, &reading.revision).await?;
        reading.revision(merged).await
    }

    async fn update_change_request_content(
        &self,
        access: ChangeRequestAccess,
        query: UpdateChangeRequestContentQuery,
        headers: UpdateChangeRequestContentHeaders,
        body: UpdateContent,
    ) -> Result<Tagged<ChangeRequestContentAnswer>, ApiError> {
        editing::edit(self, &access, query.compat, headers.if_match.as_deref(), body).await
    }

    async fn list_pages_in_change_request(
        &self,
        access: ChangeRequestAccess,
        _: ListPagesInChangeRequestQuery,
        headers: ListPagesInChangeRequestHeaders,
    ) -> Result<Conditional<PageTree>, ApiError> {
        current(self, &access, headers.if_none_match).await?.pages().await
    }

    async fn list_files_in_change_request_by_id(
        &self,
        access: ChangeRequestAccess,
        query: ListFilesInChangeRequestByIdQuery,
        headers: ListFilesInChangeRequestByIdHeaders,
    ) -> Result<Conditional<RevisionFileList>, ApiError> {
        let reading = current(self, &access, headers.if_none_match).await?;
        reading.files("change-request", query.page, query.limit).await
    }

    async fn get_file_in_change_request_by_id(
        &self,
        access: ChangeRequestAccess,
        file_id: String,
        _: GetFileInChangeRequestByIdQuery,
        headers: GetFileInChangeRequestByIdHeaders,
    ) -> Result<Conditional<RevisionFile>, ApiError> {
        let reading = current(self, &access, headers.if_none_match).await?;
        reading.file(&file_id).await
    }

    async fn get_page_in_change_request_by_id(
        &self,
        access: ChangeRequestAccess,
        page_id: String,
        query: GetPageInChangeRequestByIdQuery,
        headers: GetPageInChangeRequestByIdHeaders,
    ) -> Result<Conditional<ContentPage>, ApiError> {
        let reading = current(self, &access, headers.if_none_match).await?;
        reading.page(&page_id, query.format).await
    }

    async fn get_page_in_change_request_by_path(
        &self,
        access: ChangeRequestAccess,
        page_path: String,
        query: GetPageInChangeRequestByPathQuery,
        headers: GetPageInChangeRequestByPathHeaders,
    ) -> Result<Conditional<PageWithPath>, ApiError> {
        let reading = current(self, &access, headers.if_none_match).await?;
        reading.page_at(&page_path, query.format).await
    }

    async fn get_reusable_content_in_change_request_by_id(
        &self,
        access: ChangeRequestAccess,
        reusable_content_id: String,
        _: GetReusableContentInChangeRequestByIdQuery,
        headers: GetReusableContentInChangeRequestByIdHeaders,
    ) -> Result<Conditional<RevisionReusableContent>, ApiError> {
        let reading = current(self, &access, headers.if_none_match).await?;
        reading.reusable_content(&reusable_content_id).await
    }
}
