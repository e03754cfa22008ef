//! Links of pages, and backlinks of pages and files.

mod anchors;
mod backlinks;
mod link_sets;
mod list;
mod locations;
mod references;
mod scope;
pub mod store;

use entity::ids::{FileId, PageId};
use openapi::{
    error::ApiError,
    models::{ContentLocationList, ContentReferenceUsageList},
    operations::content_links::{
        ContentLinksApi, ListChangeRequestFileBacklinksQuery, ListChangeRequestLinksQuery,
        ListChangeRequestPageBacklinksQuery, ListPageLinksInChangeRequestQuery, ListPageLinksInSpaceQuery,
        ListSpaceFileBacklinksQuery, ListSpaceLinksQuery, ListSpacePageBacklinksQuery,
    },
};

use self::scope::LinkScope;

use crate::{
    access::{ChangeRequestAccess, SpaceAccess},
    areas::authoring::Authoring,
};

impl ContentLinksApi for Authoring {
    async fn list_space_links(
        &self,
        access: SpaceAccess,
        query: ListSpaceLinksQuery,
    ) -> Result<ContentReferenceUsageList, ApiError> {
        let ListSpaceLinksQuery { page, limit, status } = query;
        let params = list::LinkListParams {
            page,
            limit,
            status,
            broken: None,
        };
        list::of_all(&LinkScope::of_space(self, access).await?, params).await
    }

    async fn list_page_links_in_space(
        &self,
        access: SpaceAccess,
        page_id: PageId,
        query: ListPageLinksInSpaceQuery,
    ) -> Result<ContentReferenceUsageList, ApiError> {
        let ListPageLinksInSpaceQuery { page, limit, status } = query;
        let params = list::LinkListParams {
            page,
            limit,
            status,
            broken: None,
        };
        list::of_page(&LinkScope::of_space(self, access).await?, page_id, params).await
    }

    async fn list_space_page_backlinks(
        &self,
        access: SpaceAccess,
        page_id: PageId,
        query: ListSpacePageBacklinksQuery,
    ) -> Result<ContentLocationList, ApiError> {
        let ListSpacePageBacklinksQuery { page, limit } = query;
        let params = backlinks::BacklinkListParams { page, limit };
        backlinks::of_page(&LinkScope::of_space(self, access).await?, page_id, params).await
    }

    async fn list_space_file_backlinks(
        &self,
        access: SpaceAccess,
        file_id: FileId,
        query: ListSpaceFileBacklinksQuery,
    ) -> Result<ContentLocationList, ApiError> {
        let ListSpaceFileBacklinksQuery { page, limit } = query;
        let params = backlinks::BacklinkListParams { page, limit };
        backlinks::of_file(&LinkScope::of_space(self, access).await?, file_id, params).await
    }

    async fn list_change_request_links(
        &self,
        access: ChangeRequestAccess,
        query: ListChangeRequestLinksQuery,
    ) -> Result<ContentReferenceUsageList, ApiError> {
        let ListChangeRequestLinksQuery {
            page,
            limit,
            status,
            broken_context,
        } = query;
        let params = list::LinkListParams {
            page,
            limit,
            status,
            broken: broken_context,
        };
        list::of_all(&LinkScope::of_request(self, access).await?, params).await
    }

    async fn list_page_links_in_change_request(
        &self,
        access: ChangeRequestAccess,
        page_id: PageId,
        query: ListPageLinksInChangeRequestQuery,
    ) -> Result<ContentReferenceUsageList, ApiError> {
        let ListPageLinksInChangeRequestQuery { page, limit } = query;
        let params = list::LinkListParams {
            page,
            limit,
            status: None,
            broken: None,
        };
        list::of_page(&LinkScope::of_request(self, access).await?, page_id, params).await
    }

    async fn list_change_request_page_backlinks(
        &self,
        access: ChangeRequestAccess,
        page_id: PageId,
        query: ListChangeRequestPageBacklinksQuery,
    ) -> Result<ContentLocationList, ApiError> {
        let ListChangeRequestPageBacklinksQuery { page, limit } = query;
        let params = backlinks::BacklinkListParams { page, limit };
        backlinks::of_page(&LinkScope::of_request(self, access).await?, page_id, params).await
    }

    async fn list_change_request_file_backlinks(
        &self,
        access: ChangeRequestAccess,
        file_id: FileId,
        query: ListChangeRequestFileBacklinksQuery,
    ) -> Result<ContentLocationList, ApiError> {
        let ListChangeRequestFileBacklinksQuery { page, limit } = query;
        let params = backlinks::BacklinkListParams { page, limit };
        backlinks::of_file(&LinkScope::of_request(self, access).await?, file_id, params).await
    }
}
