//! Revisions of the content of spaces.

mod history;

use entity::ids::{FileId, PageId, ReusableContentId, RevisionId};
use openapi::{
    answer::{Conditional, Created},
    error::ApiError,
    models::{
        ContentPage, Document, PageTree, PageWithPath, Revision as WireRevision, RevisionFile, RevisionFileList,
        RevisionPageMetaLinks, RevisionReusableContent, RevisionSemanticChanges, RevisionSummaryList,
    },
    operations::revisions::{
        GetFileInRevisionByIdHeaders, GetFileInRevisionByIdQuery, GetPageDocumentInRevisionByIdHeaders,
        GetPageDocumentInRevisionByIdQuery, GetPageInRevisionByIdHeaders, GetPageInRevisionByIdQuery,
        GetPageInRevisionByPathHeaders, GetPageInRevisionByPathQuery, GetReusableContentDocumentInRevisionByIdHeaders,
        GetReusableContentDocumentInRevisionByIdQuery, GetReusableContentInRevisionByIdHeaders,
        GetReusableContentInRevisionByIdQuery, GetRevisionByIdHeaders, GetRevisionByIdQuery,
        GetRevisionSemanticChangesQuery, ListFilesInRevisionByIdHeaders, ListFilesInRevisionByIdQuery,
        ListPagesInRevisionByIdHeaders, ListPagesInRevisionByIdQuery, ListRevisionsQuery, RestoreRevisionHeaders,
        RevisionsApi,
    },
};

use crate::{
    access::SpaceAccess,
    areas::authoring::{
        Authoring, change_requests,
        editor::write,
        reader::{PageForm, RevisionReader},
    },
};

/// A reader of the revision that the path parameter names.
async fn named<'a>(
    authoring: &'a Authoring,
    access: &SpaceAccess,
    id: RevisionId,
    if_none_match: Option<String>,
) -> Result<RevisionReader<'a>, ApiError> {
    RevisionReader::open_for(authoring, access, id, if_none_match).await
}

impl RevisionsApi for Authoring {
    async fn list_revisions(
        &self,
        access: SpaceAccess,
        query: ListRevisionsQuery,
    ) -> Result<RevisionSummaryList, ApiError> {
        history::list(&self.kernel, &access, query).await
    }

    async fn get_revision_by_id(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
        query: GetRevisionByIdQuery,
        headers: GetRevisionByIdHeaders,
    ) -> Result<Conditional<WireRevision>, ApiError> {
        let reader = named(self, &access, revision_id, headers.if_none_match)
            .await?
            .with_computed(query.computed)
            .with_metadata(&access.row.space, query.metadata);
        let merged = change_requests::load_merged_for(&self.kernel, &access, &reader.revision).await?;
        reader.revision(merged).await
    }

    async fn get_revision_semantic_changes(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
        query: GetRevisionSemanticChangesQuery,
    ) -> Result<RevisionSemanticChanges, ApiError> {
        let reader = named(self, &access, revision_id, None).await?;
        history::changes(reader, query.limit).await
    }

    async fn restore_revision(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
        headers: RestoreRevisionHeaders,
    ) -> Result<Created<WireRevision>, ApiError> {
        let restored = write::restore(&self.contents, &access, headers.if_match.as_deref(), revision_id).await?;
        let mut reader = RevisionReader::open(self, access.row.node.id, restored, None).await?;
        Ok(Created {
            location: self.kernel.urls.revision(access.row.node.id, restored),
            body: reader.full_revision(None).await?,
        })
    }

    async fn list_pages_in_revision_by_id(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
        query: ListPagesInRevisionByIdQuery,
        headers: ListPagesInRevisionByIdHeaders,
    ) -> Result<Conditional<PageTree>, ApiError> {
        let reader = named(self, &access, revision_id, headers.if_none_match)
            .await?
            .with_computed(query.computed)
            .with_metadata(&access.row.space, query.metadata);
        reader.pages().await
    }

    async fn list_files_in_revision_by_id(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
        query: ListFilesInRevisionByIdQuery,
        headers: ListFilesInRevisionByIdHeaders,
    ) -> Result<Conditional<RevisionFileList>, ApiError> {
        let reader = named(self, &access, revision_id, headers.if_none_match).await?;
        reader
            .with_metadata(&access.row.space, query.metadata)
            .files("revision", query.page, query.limit)
            .await
    }

    async fn get_file_in_revision_by_id(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
        file_id: FileId,
        query: GetFileInRevisionByIdQuery,
        headers: GetFileInRevisionByIdHeaders,
    ) -> Result<Conditional<RevisionFile>, ApiError> {
        let reader = named(self, &access, revision_id, headers.if_none_match).await?;
        reader
            .with_metadata(&access.row.space, query.metadata)
            .file(file_id)
            .await
    }

    async fn get_page_in_revision_by_id(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
        page_id: PageId,
        query: GetPageInRevisionByIdQuery,
        headers: GetPageInRevisionByIdHeaders,
    ) -> Result<Conditional<ContentPage>, ApiError> {
        let reader = named(self, &access, revision_id, headers.if_none_match)
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

    async fn get_page_document_in_revision_by_id(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
        page_id: PageId,
        query: GetPageDocumentInRevisionByIdQuery,
        headers: GetPageDocumentInRevisionByIdHeaders,
    ) -> Result<Conditional<Document>, ApiError> {
        let reader = named(self, &access, revision_id, headers.if_none_match).await?;
        reader.page_document(page_id, query.evaluated, query.dereferenced).await
    }

    async fn list_revision_page_meta_links(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
        page_id: PageId,
    ) -> Result<RevisionPageMetaLinks, ApiError> {
        let reader = named(self, &access, revision_id, None).await?;
        reader.meta_links(&access.member, page_id).await
    }

    async fn get_page_in_revision_by_path(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
        page_path: String,
        query: GetPageInRevisionByPathQuery,
        headers: GetPageInRevisionByPathHeaders,
    ) -> Result<Conditional<PageWithPath>, ApiError> {
        let reader = named(self, &access, revision_id, headers.if_none_match)
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

    async fn get_reusable_content_in_revision_by_id(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
        reusable_content_id: ReusableContentId,
        query: GetReusableContentInRevisionByIdQuery,
        headers: GetReusableContentInRevisionByIdHeaders,
    ) -> Result<Conditional<RevisionReusableContent>, ApiError> {
        let reader = named(self, &access, revision_id, headers.if_none_match).await?;
        reader
            .with_metadata(&access.row.space, query.metadata)
            .reusable_content(reusable_content_id)
            .await
    }

    async fn get_reusable_content_document_in_revision_by_id(
        &self,
        access: SpaceAccess,
        revision_id: RevisionId,
        reusable_content_id: ReusableContentId,
        query: GetReusableContentDocumentInRevisionByIdQuery,
        headers: GetReusableContentDocumentInRevisionByIdHeaders,
    ) -> Result<Conditional<Document>, ApiError> {
        let reader = named(self, &access, revision_id, headers.if_none_match).await?;
        reader
            .reusable_content_document(reusable_content_id, query.evaluated, query.dereferenced)
            .await
    }
}
