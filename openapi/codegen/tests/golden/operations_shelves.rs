use crate::{guard::*, models::*, prelude::*};
/// The handlers of the operations of the area `shelves`.
pub trait ShelvesApi: LibraryService {
    /// List shelves (GET /v1/shelves)
    ///
    /// Lists shelves.
    fn list_shelves(
        &self,
        access: <Self::LibraryGuard as LibraryGuard>::CallerAccess,
        query: ListShelvesQuery,
    ) -> impl Future<Output = Result<ShelfList, ApiError>> + Send;
    /// Create a shelf (POST /v1/shelves)
    ///
    /// Creates a shelf.
    fn create_shelf(
        &self,
        access: <Self::LibraryGuard as LibraryGuard>::CallerAccess,
        body: Shelf,
    ) -> impl Future<Output = Result<Created<Shelf>, ApiError>> + Send;
    /// Put a book (PUT /v1/shelves/{shelfId}/books/{bookId})
    ///
    /// Puts a book on the shelf.
    fn put_book(
        &self,
        access: <Self::LibraryGuard as LibraryGuard>::ShelfAccess,
        book_id: ReusableContentId,
        body: Option<Note>,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;
    /// Put books (PUT /v1/shelves/{shelfId}/books)
    ///
    /// Puts books on the shelf, which may be new.
    fn put_books(
        &self,
        access: <Self::LibraryGuard as LibraryGuard>::ShelfAccess,
        body: Note,
    ) -> impl Future<Output = Result<Upserted<Note>, ApiError>> + Send;
    /// Clear a shelf (DELETE /v1/shelves/{shelfId}/books)
    ///
    /// Removes all books.
    fn clear_shelf(
        &self,
        access: <Self::LibraryGuard as LibraryGuard>::ShelfAccess,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;
    /// Remove a page (DELETE /v1/shelves/{shelfId}/pages/{pageId})
    ///
    /// Removes a page.
    fn remove_page(
        &self,
        access: <Self::LibraryGuard as LibraryGuard>::PageMayBeAbsentAccess,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;
    /// Move a shelf (POST /v1/shelves/{shelfId}/moves)
    ///
    /// Moves a shelf.
    fn move_shelf(
        &self,
        access: <Self::LibraryGuard as LibraryGuard>::TargetAccess,
        body: Option<Move>,
    ) -> impl Future<Output = Result<(), ApiError>> + Send;
    /// Read a file (GET /v1/shelves/{shelfId}/files/{filePath})
    ///
    /// Reads a file.
    fn read_file(
        &self,
        access: <Self::LibraryGuard as LibraryGuard>::ShelfAccess,
        file_path: String,
        query: ReadFileQuery,
        headers: ReadFileHeaders,
    ) -> impl Future<Output = Result<Conditional<Note>, ApiError>> + Send;
    /// Write a file (PUT /v1/shelves/{shelfId}/files/{filePath})
    ///
    /// Writes a file.
    fn write_file(
        &self,
        access: <Self::LibraryGuard as LibraryGuard>::ShelfAccess,
        file_path: String,
        headers: WriteFileHeaders,
        body: Note,
    ) -> impl Future<Output = Result<Tagged<Note, 201>, ApiError>> + Send;
}
/// The HTTP side of [`ShelvesApi`].
pub struct ShelvesStub<S>(pub Arc<S>);
impl<S: ShelvesApi> ShelvesStub<S> {
    /// List shelves
    async fn list_shelves(
        service: &S,
        request: &Request,
        _: RequestBody,
    ) -> Answer<Json<ShelfList, 200>, { errors(&[400, 401, 429]) }> {
        let call = async {
            let access = guarded(
                    service.library_guard().caller(Call::new(request, &LIST_SHELVES)),
                )
                .await?;
            let mut input = Input::new(request, &LIST_SHELVES.input);
            let query = input.query();
            let (Some(query),) = (query,) else {
                return Err(input.refused());
            };
            service.list_shelves(access, query).await.map(Json)
        };
        call.await.into()
    }
    /// Create a shelf
    async fn create_shelf(
        service: &S,
        request: &Request,
        body: RequestBody,
    ) -> Answer<Once<Created<Shelf>>, { errors(&[400, 401, 409, 413, 415, 429]) }> {
        let call = async {
            let access = guarded(
                    service.library_guard().caller(Call::new(request, &CREATE_SHELF)),
                )
                .await?;
            let mut input = Input::new(request, &CREATE_SHELF.input);
            let body = input.body(LateBody::<Shelf, true>::taken(body)?).await?;
            let keyed = input.keyed();
            let (Some(body), Some(keyed)) = (body, keyed) else {
                return Err(input.refused());
            };
            service.library_guard().after_body(access.as_ref()).await?;
            once(
                    service.library_guard(),
                    access,
                    keyed,
                    |access| async move { service.create_shelf(access, body).await },
                )
                .await
        };
        call.await.into()
    }
    /// Put a book
    async fn put_book(
        service: &S,
        request: &Request,
        body: RequestBody,
    ) -> Answer<Empty<204>, { errors(&[400, 401, 403, 404, 413, 415, 429]) }> {
        let call = async {
            let access = guarded(
                    service
                        .library_guard()
                        .shelf(
                            Call::new(request, &PUT_BOOK),
                            path_id(request, 0)?,
                            OwnershipLevel::Own,
                            Some(path_id(request, 1)?),
                        ),
                )
                .await?;
            let mut input = Input::new(request, &PUT_BOOK.input);
            let book_id = input.path_id(1, "bookId")?;
            let body = input.optional_body(LateBody::<Note, false>::taken(body)?).await?;
            let (Some(book_id), Some(body)) = (book_id, body) else {
                return Err(input.refused());
            };
            service.library_guard().after_body(access.as_ref()).await?;
            service.put_book(access, book_id, body).await.map(|()| Empty)
        };
        call.await.into()
    }
    /// Put books
    async fn put_books(
        service: &S,
        request: &Request,
        body: RequestBody,
    ) -> Answer<Upserted<Note>, { errors(&[400, 401, 403, 404, 413, 415, 429]) }> {
        let call = async {
            let access = guarded(
                    service
                        .library_guard()
                        .shelf(
                            Call::new(request, &PUT_BOOKS),
                            path_id(request, 0)?,
                            OwnershipLevel::Own,
                            None,
                        ),
                )
                .await?;
            let mut input = Input::new(request, &PUT_BOOKS.input);
            let body = input.body(LateBody::<Note, true>::taken(body)?).await?;
            let (Some(body),) = (body,) else {
                return Err(input.refused());
            };
            service.library_guard().after_body(access.as_ref()).await?;
            service.put_books(access, body).await
        };
        call.await.into()
    }
    /// Clear a shelf
    async fn clear_shelf(
        service: &S,
        request: &Request,
        _: RequestBody,
    ) -> Answer<Empty<204>, { errors(&[401, 403, 404, 429]) }> {
        let call = async {
            let access = guarded(
                    service
                        .library_guard()
                        .shelf(
                            Call::new(request, &CLEAR_SHELF),
                            path_id(request, 0)?,
                            OwnershipLevel::Own,
                            None,
                        ),
                )
                .await?;
            service.clear_shelf(access).await.map(|()| Empty)
        };
        call.await.into()
    }
    /// Remove a page
    async fn remove_page(
        service: &S,
        request: &Request,
        _: RequestBody,
    ) -> Answer<Empty<204>, { errors(&[401, 404, 429]) }> {
        let call = async {
            let access = guarded(
                    service
                        .library_guard()
                        .shelf(
                            Call::new(request, &REMOVE_PAGE),
                            path_id(request, 0)?,
                            OwnershipLevel::View,
                            None,
                        ),
                )
                .await?;
            let access = guarded(
                    service
                        .library_guard()
                        .page_may_be_absent(access, path_id(request, 1)?),
                )
                .await?;
            service.remove_page(access).await.map(|()| Empty)
        };
        call.await.into()
    }
    /// Move a shelf
    async fn move_shelf(
        service: &S,
        request: &Request,
        body: RequestBody,
    ) -> Answer<Once<Empty<204>>, { errors(&[400, 401, 404, 409, 413, 415, 429]) }> {
        let call = async {
            let access = guarded(
                    service
                        .library_guard()
                        .shelf(
                            Call::new(request, &MOVE_SHELF),
                            path_id(request, 0)?,
                            OwnershipLevel::Own,
                            None,
                        ),
                )
                .await?;
            let mut input = Input::new(request, &MOVE_SHELF.input);
            let body = input.optional_body(LateBody::<Move, false>::taken(body)?).await?;
            let keyed = input.keyed();
            let (Some(body), Some(keyed)) = (body, keyed) else {
                return Err(input.refused());
            };
            service.library_guard().after_body(access.as_ref()).await?;
            let access = guarded(
                    service
                        .library_guard()
                        .target(
                            access,
                            body
                                .as_ref()
                                .and_then(|body| match body {
                                    Move::MoveTo(body) => Some(body.to),
                                    _ => None,
                                }),
                        ),
                )
                .await?;
            once(
                    service.library_guard(),
                    access,
                    keyed,
                    |access| async move {
                        service.move_shelf(access, body).await.map(|()| Empty)
                    },
                )
                .await
        };
        call.await.into()
    }
    /// Read a file
    async fn read_file(
        service: &S,
        request: &Request,
        _: RequestBody,
    ) -> Answer<Conditional<Note>, { errors(&[400, 401, 404, 429]) }> {
        let call = async {
            let access = guarded(
                    service
                        .library_guard()
                        .shelf(
                            Call::new(request, &READ_FILE),
                            path_id(request, 0)?,
                            OwnershipLevel::View,
                            None,
                        ),
                )
                .await?;
            let mut input = Input::new(request, &READ_FILE.input);
            let file_path = input.path(1, "filePath")?;
            let query = input.query();
            let headers = input.headers();
            let (Some(file_path), Some(query), Some(headers)) = (
                file_path,
                query,
                headers,
            ) else {
                return Err(input.refused());
            };
            service.read_file(access, file_path, query, headers).await
        };
        call.await.into()
    }
    /// Write a file
    async fn write_file(
        service: &S,
        request: &Request,
        body: RequestBody,
    ) -> Answer<
        Tagged<Note, 201>,
        { errors(&[400, 401, 403, 404, 412, 413, 415, 429]) },
    > {
        let call = async {
            let access = guarded(
                    service
                        .library_guard()
                        .shelf(
                            Call::new(request, &WRITE_FILE),
                            path_id(request, 0)?,
                            OwnershipLevel::Own,
                            None,
                        ),
                )
                .await?;
            let mut input = Input::new(request, &WRITE_FILE.input);
            let file_path = input.path(1, "filePath")?;
            let headers = input.headers();
            let body = input.body(LateBody::<Note, true>::taken(body)?).await?;
            let (Some(file_path), Some(headers), Some(body)) = (file_path, headers, body)
            else {
                return Err(input.refused());
            };
            service.library_guard().after_body(access.as_ref()).await?;
            service.write_file(access, file_path, headers, body).await
        };
        call.await.into()
    }
    fn stubs() -> Vec<Stub<S>> {
        vec![
            Stub { operation : & LIST_SHELVES, describe : | it | { it
            .parameter(MetaParamIn::Query, "limit", false); it
            .parameter(MetaParamIn::Query, "colour", false); it
            .parameter(MetaParamIn::Query, "tag", false); it
            .parameter(MetaParamIn::Query, "reader", false); it.answer:: < Answer < Json
            < ShelfList, 200 >, { errors(& [400, 401, 429]) } > > (); }, answer : |
            service, request, body | { endpoint::answering(async move {
            Self::list_shelves(& service, & request, body). await }) }, }, Stub {
            operation : & CREATE_SHELF, describe : | it | { it
            .parameter(MetaParamIn::Header, "Idempotency-Key", false); it.body(true); it
            .answer:: < Answer < Once < Created < Shelf > >, { errors(& [400, 401, 409,
            413, 415, 429]) } > > (); }, answer : | service, request, body | {
            endpoint::answering(async move { Self::create_shelf(& service, & request,
            body). await }) }, }, Stub { operation : & PUT_BOOK, describe : | it | { it
            .parameter(MetaParamIn::Path, "shelfId", true); it
            .parameter(MetaParamIn::Path, "bookId", true); it.body(false); it.answer:: <
            Answer < Empty < 204 >, { errors(& [400, 401, 403, 404, 413, 415, 429]) } > >
            (); }, answer : | service, request, body | { endpoint::answering(async move {
            Self::put_book(& service, & request, body). await }) }, }, Stub { operation :
            & PUT_BOOKS, describe : | it | { it.parameter(MetaParamIn::Path, "shelfId",
            true); it.body(true); it.answer:: < Answer < Upserted < Note >, { errors(&
            [400, 401, 403, 404, 413, 415, 429]) } > > (); }, answer : | service,
            request, body | { endpoint::answering(async move { Self::put_books(& service,
            & request, body). await }) }, }, Stub { operation : & CLEAR_SHELF, describe :
            | it | { it.parameter(MetaParamIn::Path, "shelfId", true); it.answer:: <
            Answer < Empty < 204 >, { errors(& [401, 403, 404, 429]) } > > (); }, answer
            : | service, request, body | { endpoint::answering(async move {
            Self::clear_shelf(& service, & request, body). await }) }, }, Stub {
            operation : & REMOVE_PAGE, describe : | it | { it
            .parameter(MetaParamIn::Path, "shelfId", true); it
            .parameter(MetaParamIn::Path, "pageId", true); it.answer:: < Answer < Empty <
            204 >, { errors(& [401, 404, 429]) } > > (); }, answer : | service, request,
            body | { endpoint::answering(async move { Self::remove_page(& service, &
            request, body). await }) }, }, Stub { operation : & MOVE_SHELF, describe : |
            it | { it.parameter(MetaParamIn::Path, "shelfId", true); it
            .parameter(MetaParamIn::Header, "Idempotency-Key", false); it.body(false); it
            .answer:: < Answer < Once < Empty < 204 > >, { errors(& [400, 401, 404, 409,
            413, 415, 429]) } > > (); }, answer : | service, request, body | {
            endpoint::answering(async move { Self::move_shelf(& service, & request, body)
            . await }) }, }, Stub { operation : & READ_FILE, describe : | it | { it
            .parameter(MetaParamIn::Path, "shelfId", true); it
            .parameter(MetaParamIn::Path, "filePath", true); it
            .parameter(MetaParamIn::Query, "limit", false); it
            .parameter(MetaParamIn::Header, "If-None-Match", false); it
            .parameter(MetaParamIn::Header, "X-Reason", true); it.answer:: < Answer <
            Conditional < Note >, { errors(& [400, 401, 404, 429]) } > > (); }, answer :
            | service, request, body | { endpoint::answering(async move {
            Self::read_file(& service, & request, body). await }) }, }, Stub { operation
            : & WRITE_FILE, describe : | it | { it.parameter(MetaParamIn::Path,
            "shelfId", true); it.parameter(MetaParamIn::Path, "filePath", true); it
            .parameter(MetaParamIn::Header, "If-Match", false); it.body(true); it
            .answer:: < Answer < Tagged < Note, 201 >, { errors(& [400, 401, 403, 404,
            412, 413, 415, 429]) } > > (); }, answer : | service, request, body | {
            endpoint::answering(async move { Self::write_file(& service, & request, body)
            . await }) }, }
        ]
    }
}
impl<S: ShelvesApi> OpenApi for ShelvesStub<S> {
    fn meta() -> Vec<MetaApi> {
        endpoint::meta(&Self::stubs())
    }
    fn register(registry: &mut Registry) {
        Tags::register(&crate::operations::Tag::Shelves, registry);
        endpoint::register(&Self::stubs(), registry);
    }
    fn add_routes(self, routes: &mut Routes) {
        endpoint::add_routes(&self.0, Self::stubs(), routes);
    }
}
pub use crate::parameters::ListShelvesQuery;
pub use crate::parameters::ReadFileQuery;
pub use crate::parameters::ReadFileHeaders;
pub use crate::parameters::WriteFileHeaders;
pub static LIST_SHELVES: Operation = Operation {
    area: "shelves",
    tag: "shelves",
    id: "listShelves",
    method: "get",
    path: "/v1/shelves",
    wildcard: false,
    summary: "List shelves",
    description: "Lists shelves.",
    deprecated: false,
    safe: true,
    secret: false,
    token_is_optional: false,
    scope: Some(Scope::Any),
    may_forbid: false,
    minimal: false,
    errors: &[400, 401, 429],
    input: Spec::new("/paths/~1v1~1shelves/get"),
};
pub static CREATE_SHELF: Operation = Operation {
    area: "shelves",
    tag: "shelves",
    id: "createShelf",
    method: "post",
    path: "/v1/shelves",
    wildcard: false,
    summary: "Create a shelf",
    description: "Creates a shelf.",
    deprecated: false,
    safe: false,
    secret: false,
    token_is_optional: false,
    scope: None,
    may_forbid: false,
    minimal: false,
    errors: &[400, 401, 409, 413, 415, 429],
    input: Spec::new("/paths/~1v1~1shelves/post"),
};
pub static PUT_BOOK: Operation = Operation {
    area: "shelves",
    tag: "shelves",
    id: "putBook",
    method: "put",
    path: "/v1/shelves/{shelfId}/books/{bookId}",
    wildcard: false,
    summary: "Put a book",
    description: "Puts a book on the shelf.",
    deprecated: true,
    safe: false,
    secret: false,
    token_is_optional: false,
    scope: None,
    may_forbid: true,
    minimal: false,
    errors: &[400, 401, 403, 404, 413, 415, 429],
    input: Spec::new("/paths/~1v1~1shelves~1{shelfId}~1books~1{bookId}/put"),
};
pub static PUT_BOOKS: Operation = Operation {
    area: "shelves",
    tag: "shelves",
    id: "putBooks",
    method: "put",
    path: "/v1/shelves/{shelfId}/books",
    wildcard: false,
    summary: "Put books",
    description: "Puts books on the shelf, which may be new.",
    deprecated: false,
    safe: false,
    secret: false,
    token_is_optional: false,
    scope: None,
    may_forbid: true,
    minimal: false,
    errors: &[400, 401, 403, 404, 413, 415, 429],
    input: Spec::new("/paths/~1v1~1shelves~1{shelfId}~1books/put"),
};
pub static CLEAR_SHELF: Operation = Operation {
    area: "shelves",
    tag: "shelves",
    id: "clearShelf",
    method: "delete",
    path: "/v1/shelves/{shelfId}/books",
    wildcard: false,
    summary: "Clear a shelf",
    description: "Removes all books.",
    deprecated: false,
    safe: false,
    secret: false,
    token_is_optional: false,
    scope: None,
    may_forbid: true,
    minimal: false,
    errors: &[401, 403, 404, 429],
    input: Spec::new("/paths/~1v1~1shelves~1{shelfId}~1books/delete"),
};
pub static REMOVE_PAGE: Operation = Operation {
    area: "shelves",
    tag: "shelves",
    id: "removePage",
    method: "delete",
    path: "/v1/shelves/{shelfId}/pages/{pageId}",
    wildcard: false,
    summary: "Remove a page",
    description: "Removes a page.",
    deprecated: false,
    safe: false,
    secret: false,
    token_is_optional: false,
    scope: None,
    may_forbid: false,
    minimal: false,
    errors: &[401, 404, 429],
    input: Spec::new("/paths/~1v1~1shelves~1{shelfId}~1pages~1{pageId}/delete"),
};
pub static MOVE_SHELF: Operation = Operation {
    area: "shelves",
    tag: "shelves",
    id: "moveShelf",
    method: "post",
    path: "/v1/shelves/{shelfId}/moves",
    wildcard: false,
    summary: "Move a shelf",
    description: "Moves a shelf.",
    deprecated: false,
    safe: false,
    secret: false,
    token_is_optional: false,
    scope: None,
    may_forbid: false,
    minimal: false,
    errors: &[400, 401, 404, 409, 413, 415, 429],
    input: Spec::new("/paths/~1v1~1shelves~1{shelfId}~1moves/post"),
};
pub static READ_FILE: Operation = Operation {
    area: "shelves",
    tag: "shelves",
    id: "readFile",
    method: "get",
    path: "/v1/shelves/{shelfId}/files/{filePath}",
    wildcard: true,
    summary: "Read a file",
    description: "Reads a file.",
    deprecated: false,
    safe: true,
    secret: true,
    token_is_optional: false,
    scope: None,
    may_forbid: false,
    minimal: false,
    errors: &[400, 401, 404, 429],
    input: Spec::new("/paths/~1v1~1shelves~1{shelfId}~1files~1{filePath}/get"),
};
pub static WRITE_FILE: Operation = Operation {
    area: "shelves",
    tag: "shelves",
    id: "writeFile",
    method: "put",
    path: "/v1/shelves/{shelfId}/files/{filePath}",
    wildcard: true,
    summary: "Write a file",
    description: "Writes a file.",
    deprecated: false,
    safe: false,
    secret: false,
    token_is_optional: false,
    scope: None,
    may_forbid: true,
    minimal: false,
    errors: &[400, 401, 403, 404, 412, 413, 415, 429],
    input: Spec::new("/paths/~1v1~1shelves~1{shelfId}~1files~1{filePath}/put"),
};
