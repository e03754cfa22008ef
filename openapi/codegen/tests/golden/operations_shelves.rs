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
        _limit: QueryParameter<Option<u32>, ListShelvesLimitParameter>,
        #[oai(name = "colour")]
        _colour: QueryParameter<Option<Colour>, ListShelvesColourParameter>,
        #[oai(name = "tag")]
        _tag: QueryParameter<Option<Vec<String>>, ListShelvesTagParameter>,
    ) -> Answer<Json<ShelfList, 200>, { errors(&[400, 401, 429]) }> {
        let call = async {
            let access = self
                .0
                .guard()
                .caller(
                    Call::new(request, &LIST_SHELVES),
                    CallerLevel::Authenticated,
                    None,
                )
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
                .caller(
                    Call::new(request, &CREATE_SHELF),
                    CallerLevel::Authenticated,
                    None,
                )
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
        _shelf_id: PathParameter<String, PutBookShelfIdParameter>,
        #[oai(name = "bookId")]
        _book_id: PathParameter<String, PutBookBookIdParameter>,
        body: LateBody<Note, false>,
    ) -> Answer<Empty<204>, { errors(&[400, 401, 404, 413, 415, 429]) }> {
        let call = async {
            let access = self
                .0
                .guard()
                .shelf(
                    Call::new(request, &PUT_BOOK),
                    path(request, 0)?,
                    ShelfLevel::Own,
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
        _shelf_id: PathParameter<String, ReadFileShelfIdParameter>,
        #[oai(name = "filePath")]
        _file_path: PathParameter<String, ReadFileFilePathParameter>,
        #[oai(name = "limit")]
        _limit: QueryParameter<Option<u32>, ReadFileLimitParameter>,
        /// What is kept.
        #[oai(name = "If-None-Match")]
        _if_none_match: HeaderParameter<Option<String>, ReadFileIfNoneMatchParameter>,
        #[oai(name = "X-Reason")]
        _x_reason: HeaderParameter<String, ReadFileXReasonParameter>,
    ) -> Answer<Conditional<Note>, { errors(&[400, 401, 404, 429]) }> {
        let call = async {
            let access = self
                .0
                .guard()
                .shelf(
                    Call::new(request, &READ_FILE),
                    path(request, 0)?,
                    ShelfLevel::View,
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
        _shelf_id: PathParameter<String, WriteFileShelfIdParameter>,
        #[oai(name = "filePath")]
        _file_path: PathParameter<String, WriteFileFilePathParameter>,
        #[oai(name = "If-Match")]
        _if_match: HeaderParameter<Option<String>, WriteFileIfMatchParameter>,
        body: LateBody<Note, true>,
    ) -> Answer<Tagged<Note, 201>, { errors(&[400, 401, 404, 412, 413, 415, 429]) }> {
        let call = async {
            let access = self
                .0
                .guard()
                .shelf(
                    Call::new(request, &WRITE_FILE),
                    path(request, 0)?,
                    ShelfLevel::Own,
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
/// The query parameters of `listShelves`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Validate)]
pub struct ListShelvesQuery {
    /// How many.
    #[serde(
        rename = "limit",
        default = "default_list_shelves_query_limit",
        deserialize_with = "integer"
    )]
    #[validate(range(min = 0, max = 100))]
    pub limit: u32,
    #[serde(
        rename = "colour",
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "present"
    )]
    pub colour: Option<Colour>,
    #[serde(
        rename = "tag",
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "present"
    )]
    #[validate(length(max = 5), custom(function = "check_list_shelves_query_tag"))]
    pub tag: Option<Vec<String>>,
}
fn default_list_shelves_query_limit() -> u32 {
    20
}
fn check_list_shelves_query_tag(value: &[String]) -> Result<(), ValidationError> {
    rules::texts(
        value,
        &rules::Text {
            max: Some(10),
            ..Default::default()
        },
    )?;
    Ok(())
}
/// The query parameters of `readFile`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Validate)]
pub struct ReadFileQuery {
    #[serde(
        rename = "limit",
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "present_integer"
    )]
    #[validate(range(min = 0, max = 100))]
    pub limit: Option<u32>,
}
/// The header parameters of `readFile`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Validate)]
pub struct ReadFileHeaders {
    /// What is kept.
    #[serde(
        rename = "If-None-Match",
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "present"
    )]
    #[validate(length(max = 64))]
    pub if_none_match: Option<String>,
    #[serde(rename = "X-Reason")]
    #[validate(length(max = 9), regex(path = *PATTERN_A02D2BCECEA5CBF9))]
    pub x_reason: String,
}
/// The header parameters of `writeFile`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Validate)]
pub struct WriteFileHeaders {
    #[serde(
        rename = "If-Match",
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "present"
    )]
    #[validate(length(max = 64))]
    pub if_match: Option<String>,
}
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
/// The rules of the parameter `limit` of `listShelves`.
pub struct ListShelvesLimitParameter;
impl Rules for ListShelvesLimitParameter {
    fn rules() -> MetaSchema {
        MetaSchema {
            default: serde_json::to_value(20).ok(),
            minimum: Some(0.0),
            maximum: Some(100.0),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `colour` of `listShelves`.
pub struct ListShelvesColourParameter;
impl Rules for ListShelvesColourParameter {
    fn rules() -> MetaSchema {
        MetaSchema { ..MetaSchema::ANY }
    }
}
/// The rules of the parameter `tag` of `listShelves`.
pub struct ListShelvesTagParameter;
impl Rules for ListShelvesTagParameter {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_items: Some(5),
            items: Some(
                Box::new(
                    MetaSchemaRef::Inline(
                        Box::new(MetaSchema {
                            max_length: Some(10),
                            ..MetaSchema::ANY
                        }),
                    ),
                ),
            ),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `shelfId` of `putBook`.
pub struct PutBookShelfIdParameter;
impl Rules for PutBookShelfIdParameter {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(32),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `bookId` of `putBook`.
pub struct PutBookBookIdParameter;
impl Rules for PutBookBookIdParameter {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(32),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `shelfId` of `readFile`.
pub struct ReadFileShelfIdParameter;
impl Rules for ReadFileShelfIdParameter {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(32),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `filePath` of `readFile`.
pub struct ReadFileFilePathParameter;
impl Rules for ReadFileFilePathParameter {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(99),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `limit` of `readFile`.
pub struct ReadFileLimitParameter;
impl Rules for ReadFileLimitParameter {
    fn rules() -> MetaSchema {
        MetaSchema {
            minimum: Some(0.0),
            maximum: Some(100.0),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `If-None-Match` of `readFile`.
pub struct ReadFileIfNoneMatchParameter;
impl Rules for ReadFileIfNoneMatchParameter {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(64),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `X-Reason` of `readFile`.
pub struct ReadFileXReasonParameter;
impl Rules for ReadFileXReasonParameter {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(9),
            pattern: Some("^[A-Z]".to_owned()),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `shelfId` of `writeFile`.
pub struct WriteFileShelfIdParameter;
impl Rules for WriteFileShelfIdParameter {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(32),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `filePath` of `writeFile`.
pub struct WriteFileFilePathParameter;
impl Rules for WriteFileFilePathParameter {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(99),
            ..MetaSchema::ANY
        }
    }
}
/// The rules of the parameter `If-Match` of `writeFile`.
pub struct WriteFileIfMatchParameter;
impl Rules for WriteFileIfMatchParameter {
    fn rules() -> MetaSchema {
        MetaSchema {
            max_length: Some(64),
            ..MetaSchema::ANY
        }
    }
}
