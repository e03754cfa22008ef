/// The operations of the area `shelves`.
pub mod shelves {
    include!(concat!(env!("OUT_DIR"), "/operations_shelves.rs"));
}
/// The areas, for the derived document.
#[derive(poem_openapi::Tags)]
pub enum Tag {
    /// Shelves of books.
    #[oai(rename = "shelves")]
    Shelves,
}
/// Every operation: its id, method and path.
pub const OPERATIONS: &[(&str, &str, &str)] = &[
    ("listShelves", "get", "/v1/shelves"),
    ("createShelf", "post", "/v1/shelves"),
    ("putBook", "put", "/v1/shelves/{shelfId}/books/{bookId}"),
];
