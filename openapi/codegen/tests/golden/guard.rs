use crate::prelude::*;
/// The levels of access on the scale `ownership`, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OwnershipLevel {
    View,
    Own,
}
/// The common part of the guards of all contexts.
pub trait Guard: Send + Sync + 'static {
    /// The caller of an operation, which is part of every proof.
    type Caller: Clone + Send + Sync;
    /// Refuses the call if access was revoked while the body was received.
    fn after_body(
        &self,
        caller: &Self::Caller,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;
    /// Handles a request with an idempotency key, or repeats the answer to the first one with this key.
    fn once(
        &self,
        caller: &Self::Caller,
        request: KeyedRequest,
        handling: Handling<'_>,
    ) -> impl Future<Output = Result<Response, ApiError>> + Send;
}
/// Decides access to the resources of the context `library` before a handler runs. Only stubs call the guard, which returns the proof that the handler needs.
pub trait LibraryGuard: Guard {
    /// Proof of access to the resource `caller`.
    type CallerAccess: AsRef<Self::Caller> + Send + Sync;
    /// Anyone.
    fn caller(
        &self,
        call: Call<'_>,
    ) -> impl Future<Output = Result<Self::CallerAccess, ApiError>> + Send;
    /// Proof of access to the resource `page`.
    type PageAccess: AsRef<Self::Caller> + Send + Sync;
    /// A page of a shelf.
    fn page(
        &self,
        within: Self::ShelfAccess,
        page_id: &str,
    ) -> impl Future<Output = Result<Self::PageAccess, ApiError>> + Send;
    /// Proof of access to the resource `pageMayBeAbsent`.
    type PageMayBeAbsentAccess: AsRef<Self::Caller> + Send + Sync;
    /// A page of a shelf or none.
    fn page_may_be_absent(
        &self,
        within: Self::ShelfAccess,
        page_id: PageId,
    ) -> impl Future<Output = Result<Self::PageMayBeAbsentAccess, ApiError>> + Send;
    /// Proof of access to the resource `shelf`.
    type ShelfAccess: AsRef<Self::Caller> + Send + Sync;
    /// A shelf.
    fn shelf(
        &self,
        call: Call<'_>,
        shelf_id: NodeId,
        level: OwnershipLevel,
        or_self: Option<ReusableContentId>,
    ) -> impl Future<Output = Result<Self::ShelfAccess, ApiError>> + Send;
    /// Proof of access to the resource `target`.
    type TargetAccess: AsRef<Self::Caller> + Send + Sync;
    /// A shelf that the body names.
    fn target(
        &self,
        within: Self::ShelfAccess,
        to: Option<NodeId>,
    ) -> impl Future<Output = Result<Self::TargetAccess, ApiError>> + Send;
}
/// The service that implements the operations of the context `library`, and the guards that they ask.
pub trait LibraryService: Send + Sync + 'static {
    type LibraryGuard: LibraryGuard;
    fn library_guard(&self) -> &Self::LibraryGuard;
}
