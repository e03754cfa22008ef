//! Sites, as visitors read them through the contexts below `publishing`.

use entity::{
    ids::{FileId, NodeId, OrganizationId, RevisionId, UserId},
    publishing::sites::SiteVisibility,
};
use expressions::VisitorClaims;
use futures_util::future::BoxFuture;
use openapi::error::ApiError;
use platform::db::Tx;

/// A site that is open to a visitor: who they are, and which spaces and files it shows them. Implemented by `publishing`.
pub trait SiteReader: Send + Sync {
    fn organization(&self) -> OrganizationId;

    fn visibility(&self) -> SiteVisibility;

    fn claims(&self) -> &VisitorClaims;

    /// The member whose preview this is: the site shows only what the member may read.
    fn preview_of(&self) -> Option<UserId>;

    /// The revision of a space that the token of the visitor shows, although another one may be published meanwhile.
    fn shown_revision(&self, space: NodeId) -> Option<RevisionId>;

    /// All spaces of the site, those that the visitor does not see included.
    fn spaces(&self) -> BoxFuture<'_, Result<Vec<NodeId>, ApiError>>;

    /// Returns whether the site shows the visitor a space.
    fn shows(&self, space: NodeId) -> BoxFuture<'_, Result<bool, ApiError>>;

    /// The address of the oldest place of a space. `None`: there is none, because the site is not published or the space is
    /// invisible.
    fn address_of(&self, space: NodeId) -> BoxFuture<'_, Result<Option<String>, ApiError>>;

    /// Returns whether the header or the footer of the site leads every visitor to a file.
    fn leads_to(&self, file: FileId) -> BoxFuture<'_, Result<bool, ApiError>>;

    /// Returns whether the site offers a space as PDF where it shows it to the visitor.
    fn offers_pdf(&self, space: NodeId) -> BoxFuture<'_, Result<bool, ApiError>>;

    /// Refuses with 404 unless the site is still open to the visitor. `None`: outside of a transaction.
    fn require_open<'a>(&'a self, tx: Option<&'a Tx>) -> BoxFuture<'a, Result<(), ApiError>>;
}
