use crate::{guard::*, models::*, prelude::*};
/// What the service does for the operations of the area `shelves`.
pub trait ShelvesApi: Service {
    /// List shelves (GET /v1/shelves)
    ///
    /// Lists shelves.
    fn list_shelves(
        &self,
        access: <Self::Guard as Guard>::CallerAccess,
        query: ListShelvesQuery,
    ) -> impl Future<Output = Result<ShelfList, Self::Error>> + Send;
    /// Create a shelf (POST /v1/shelves)
    ///
    /// Creates a shelf.
    fn create_shelf(
        &self,
        access: <Self::Guard as Guard>::CallerAccess,
        body: Shelf,
    ) -> impl Future<Output = Result<Created<Shelf>, Self::Error>> + Send;
    /// Put a book (PUT /v1/shelves/{shelfId}/books/{bookId})
    ///
    /// Puts a book on the shelf.
    fn put_book(
        &self,
        access: <Self::Guard as Guard>::ShelfAccess,
        book_id: String,
        body: Option<Note>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;
    /// Read a file (GET /v1/shelves/{shelfId}/files/{filePath})
    ///
    /// Reads a file.
    fn read_file(
        &self,
        access: <Self::Guard as Guard>::ShelfAccess,
        file_path: String,
        query: ReadFileQuery,
        headers: ReadFileHeaders,
    ) -> impl Future<Output = Result<Conditional<Note>, Self::Error>> + Send;
    /// Write a file (PUT /v1/shelves/{shelfId}/files/{filePath})
    ///
    /// Writes a file.
    fn write_file(
        &self,
        access: <Self::Guard as Guard>::ShelfAccess,
        file_path: String,
        headers: WriteFileHeaders,
        body: Note,
    ) -> impl Future<Output = Result<Tagged<Note, 201>, Self::Error>> + Send;
}
/// The HTTP side of [`ShelvesApi`].
pub struct ShelvesStub<S>(pub Arc<S>);
#[OpenApi]
impl<S: ShelvesApi> ShelvesStub<S> {
    /// List shelves
    ///
    /// Lists shelves.
    #[oai(
        path = "/v1/shelves",
        method = "get",
        operation_id = "listShelves",
        tag = "crate::operations::Tag::Shelves"
    )]
    async fn list_shelves(
        &self,
        request: &Request,
        _bearer: Bearer,
        /// How many.
        #[oai(name = "limit")]
        _limit: QueryParameter<Option<u32>, crate::parameters::LimitRules>,
        #[oai(name = "colour")]
        _colour: QueryParameter<Option<Colour>, crate::parameters::ColourRules>,
        #[oai(name = "tag")]
        _tag: QueryParameter<Option<Vec<String>>, crate::parameters::TagRules>,
    ) -> Answer<Json<ShelfList, 200>, { errors(&[400, 401, 429]) }> {
        let call = async {
            let access = self
                .0
                .guard()
                .caller(Call::new(request, &LIST_SHELVES))
                .await
                .map_err(Into::into)?;
            let mut input = Input::new(request, &LIST_SHELVES.input);
            let query = input.query();
            let (Some(query),) = (query,) else {
                return Err(input.refused());
            };
            self.0.list_shelves(access, query).await.map_err(Into::into).map(Json)
        };
        call.await.into()
    }
    /// Create a shelf
    ///
    /// Creates a shelf.
    #[oai(
        path = "/v1/shelves",
        method = "post",
        operation_id = "createShelf",
        tag = "crate::operations::Tag::Shelves"
    )]
    async fn create_shelf(
        &self,
        request: &Request,
        _bearer: Bearer,
        body: LateBody<Shelf, true>,
    ) -> Answer<Created<Shelf>, { errors(&[400, 401, 413, 415, 429]) }> {
        let call = async {
            let access = self
                .0
                .guard()
                .caller(Call::new(request, &CREATE_SHELF))
                .await
                .map_err(Into::into)?;
            let mut input = Input::new(request, &CREATE_SHELF.input);
            let body = input.body(body).await?;
            let (Some(body),) = (body,) else {
                return Err(input.refused());
            };
            self.0.create_shelf(access, body).await.map_err(Into::into)
        };
        call.await.into()
    }
    /// Put a book
    ///
    /// Puts a book on the shelf.
    #[oai(
        path = "/v1/shelves/:shelfId/books/:bookId",
        method = "put",
        operation_id = "putBook",
        tag = "crate::operations::Tag::Shelves",
        deprecated
    )]
    async fn put_book(
        &self,
        request: &Request,
        _bearer: Bearer,
        #[oai(name = "shelfId")]
        _shelf_id: PathParameter<String, crate::parameters::ShelfIdRules>,
        #[oai(name = "bookId")]
        _book_id: PathParameter<String, crate::parameters::BookIdRules>,
        body: LateBody<Note, false>,
    ) -> Answer<Empty<204>, { errors(&[400, 401, 404, 413, 415, 429]) }> {
        let call = async {
            let access = self
                .0
                .guard()
                .shelf(
                    Call::new(request, &PUT_BOOK),
                    path(request, 0)?,
                    OwnershipLevel::Own,
                    Some(path(request, 1)?),
                )
                .await
                .map_err(Into::into)?;
            let mut input = Input::new(request, &PUT_BOOK.input);
            let book_id = input.path(1, "bookId")?;
            let body = input.optional_body(body).await?;
            let (Some(book_id), Some(body)) = (book_id, body) else {
                return Err(input.refused());
            };
            self.0
                .put_book(access, book_id, body)
                .await
                .map_err(Into::into)
                .map(|()| Empty)
        };
        call.await.into()
    }
    /// Read a file
    ///
    /// Reads a file.
    #[oai(
        path = "/v1/shelves/:shelfId/files/:filePath",
        method = "get",
        operation_id = "readFile",
        tag = "crate::operations::Tag::Shelves"
    )]
    async fn read_file(
        &self,
        request: &Request,
        _bearer: Bearer,
        #[oai(name = "shelfId")]
        _shelf_id: PathParameter<String, crate::parameters::ShelfIdRules>,
        #[oai(name = "filePath")]
        _file_path: PathParameter<String, crate::parameters::FilePathRules>,
        #[oai(name = "limit")]
        _limit: QueryParameter<Option<u32>, crate::parameters::ReadFileLimitRules>,
        /// What is kept.
        #[oai(name = "If-None-Match")]
        _if_none_match: HeaderParameter<
            Option<String>,
            crate::parameters::IfNoneMatchRules,
        >,
        #[oai(name = "X-Reason")]
        _x_reason: HeaderParameter<String, crate::parameters::XReasonRules>,
    ) -> Answer<Conditional<Note>, { errors(&[400, 401, 404, 429]) }> {
        let call = async {
            let access = self
                .0
                .guard()
                .shelf(
                    Call::new(request, &READ_FILE),
                    path(request, 0)?,
                    OwnershipLevel::View,
                    None,
                )
                .await
                .map_err(Into::into)?;
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
            self.0.read_file(access, file_path, query, headers).await.map_err(Into::into)
        };
        call.await.into()
    }
    /// Write a file
    ///
    /// Writes a file.
    #[oai(
        path = "/v1/shelves/:shelfId/files/:filePath",
        method = "put",
        operation_id = "writeFile",
        tag = "crate::operations::Tag::Shelves"
    )]
    async fn write_file(
        &self,
        request: &Request,
        _bearer: Bearer,
        #[oai(name = "shelfId")]
        _shelf_id: PathParameter<String, crate::parameters::ShelfIdRules>,
        #[oai(name = "filePath")]
        _file_path: PathParameter<String, crate::parameters::FilePathRules>,
        #[oai(name = "If-Match")]
        _if_match: HeaderParameter<Option<String>, crate::parameters::IfMatchRules>,
        body: LateBody<Note, true>,
    ) -> Answer<Tagged<Note, 201>, { errors(&[400, 401, 404, 412, 413, 415, 429]) }> {
        let call = async {
            let access = self
                .0
                .guard()
                .shelf(
                    Call::new(request, &WRITE_FILE),
                    path(request, 0)?,
                    OwnershipLevel::Own,
                    None,
                )
                .await
                .map_err(Into::into)?;
            let mut input = Input::new(request, &WRITE_FILE.input);
            let file_path = input.path(1, "filePath")?;
            let headers = input.headers();
            let body = input.body(body).await?;
            let (Some(file_path), Some(headers), Some(body)) = (file_path, headers, body)
            else {
                return Err(input.refused());
            };
            self.0.write_file(access, file_path, headers, body).await.map_err(Into::into)
        };
        call.await.into()
    }
}
pub use crate::parameters::ListShelvesQuery;
pub use crate::parameters::ReadFileQuery;
pub use crate::parameters::ReadFileHeaders;
pub use crate::parameters::WriteFileHeaders;
pub static LIST_SHELVES: Operation = Operation {
    area: "shelves",
    id: "listShelves",
    method: "get",
    path: "/v1/shelves",
    wildcard: false,
    summary: "List shelves",
    input: Spec::new("/paths/~1v1~1shelves/get"),
};
pub static CREATE_SHELF: Operation = Operation {
    area: "shelves",
    id: "createShelf",
    method: "post",
    path: "/v1/shelves",
    wildcard: false,
    summary: "Create a shelf",
    input: Spec::new("/paths/~1v1~1shelves/post"),
};
pub static PUT_BOOK: Operation = Operation {
    area: "shelves",
    id: "putBook",
    method: "put",
    path: "/v1/shelves/{shelfId}/books/{bookId}",
    wildcard: false,
    summary: "Put a book",
    input: Spec::new("/paths/~1v1~1shelves~1{shelfId}~1books~1{bookId}/put"),
};
pub static READ_FILE: Operation = Operation {
    area: "shelves",
    id: "readFile",
    method: "get",
    path: "/v1/shelves/{shelfId}/files/{filePath}",
    wildcard: true,
    summary: "Read a file",
    input: Spec::new("/paths/~1v1~1shelves~1{shelfId}~1files~1{filePath}/get"),
};
pub static WRITE_FILE: Operation = Operation {
    area: "shelves",
    id: "writeFile",
    method: "put",
    path: "/v1/shelves/{shelfId}/files/{filePath}",
    wildcard: true,
    summary: "Write a file",
    input: Spec::new("/paths/~1v1~1shelves~1{shelfId}~1files~1{filePath}/put"),
};
