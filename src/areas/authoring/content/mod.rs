//! The content of spaces: revisions of pages and files.

use entity::ids::{FileId, PageId, ReusableContentId};
use openapi::{
    answer::{Conditional, Tagged},
    error::ApiError,
    models::{
        ContentPage, Document, PageTree, PageWithPath, Revision, RevisionFile, RevisionFileList,
        RevisionReusableContent, SpaceContentUpdate, UpdateContent,
    },
    operations::content::{
        ContentApi, GetCurrentRevisionHeaders, GetCurrentRevisionQuery, GetDocumentByIdHeaders, GetDocumentByIdQuery,
        GetFileByIdHeaders, GetFileByIdQuery, GetPageByIdHeaders, GetPageByIdQuery, GetPageByPathHeaders,
        GetPageByPathQuery, GetReusableContentByIdHeaders, GetReusableContentByIdQuery, ListFilesHeaders,
        ListFilesQuery, ListPagesHeaders, ListPagesQuery, UpdateSpaceContentHeaders,
    },
};

use crate::{
    access::SpaceAccess,
    app::App,
    areas::authoring::{
        change_requests,
        editor::write,
        reader::{self, RevisionReader},
    },
};

/// A reader of the current content of the space.
async fn current<'a>(
    app: &'a App,
    access: &SpaceAccess,
    if_none_match: Option<String>,
) -> Result<RevisionReader<'a>, ApiError> {
    RevisionReader::open_for(app, access, access.row.space.revision_id, if_none_match).await
}

impl ContentApi for App {
    async fn get_current_revision(
        &self,
        access: SpaceAccess,
        _: GetCurrentRevisionQuery,
        headers: GetCurrentRevisionHeaders,
    ) -> Result<Conditional<Revision>, ApiError> {
        let reader = current(self, &access, headers.if_none_match).await?;
        let merged = change_requests::load_merged_for(self, &access, &reader.revision).await?;
        reader.revision(merged).await
    }

    async fn update_space_content(
        &self,
        access: SpaceAccess,
        headers: UpdateSpaceContentHeaders,
        body: UpdateContent,
    ) -> Result<Tagged<SpaceContentUpdate>, ApiError> {
        write::update_content(self, &access, headers.if_match.as_deref(), body).await
    }

    async fn list_pages(
        &self,
        access: SpaceAccess,
        _: ListPagesQuery,
        headers: ListPagesHeaders,
    ) -> Result<Conditional<PageTree>, ApiError> {
        current(self, &access, headers.if_none_match).await?.pages().await
    }

    async fn list_files(
        &self,
        access: SpaceAccess,
        query: ListFilesQuery,
        headers: ListFilesHeaders,
    ) -> Result<Conditional<RevisionFileList>, ApiError> {
        let reader = current(self, &access, headers.if_none_match).await?;
        reader.files("space", query.page, query.limit).await
    }

    async fn get_file_by_id(
        &self,
        access: SpaceAccess,
        file_id: FileId,
        _: GetFileByIdQuery,
        headers: GetFileByIdHeaders,
    ) -> Result<Conditional<RevisionFile>, ApiError> {
        current(self, &access, headers.if_none_match).await?.file(file_id).await
    }

    async fn get_page_by_id(
        &self,
        access: SpaceAccess,
        page_id: PageId,
        query: GetPageByIdQuery,
        headers: GetPageByIdHeaders,
    ) -> Result<Conditional<ContentPage>, ApiError> {
        let reader = current(self, &access, headers.if_none_match).await?;
        reader.page(page_id, query.format, query.evaluated).await
    }

    async fn get_page_by_path(
        &self,
        access: SpaceAccess,
        page_path: String,
        query: GetPageByPathQuery,
        headers: GetPageByPathHeaders,
    ) -> Result<Conditional<PageWithPath>, ApiError> {
        let reader = current(self, &access, headers.if_none_match).await?;
        reader.page_by_path(&page_path, query.format, query.evaluated).await
    }

    async fn get_reusable_content_by_id(
        &self,
        access: SpaceAccess,
        reusable_content_id: ReusableContentId,
        _: GetReusableContentByIdQuery,
        headers: GetReusableContentByIdHeaders,
    ) -> Result<Conditional<RevisionReusableContent>, ApiError> {
        let reader = current(self, &access, headers.if_none_match).await?;
        reader.reusable_content(reusable_content_id).await
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
}
