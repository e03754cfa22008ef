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
/// All operations.
pub static OPERATIONS: &[&crate::call::Operation] = &[
    &shelves::LIST_SHELVES,
    &shelves::CREATE_SHELF,
    &shelves::PUT_BOOK,
    &shelves::PUT_BOOKS,
    &shelves::CLEAR_SHELF,
    &shelves::REMOVE_PAGE,
    &shelves::MOVE_SHELF,
    &shelves::READ_FILE,
    &shelves::WRITE_FILE,
];
/// All areas, each of the service of its context.
pub type Areas<Library> = (shelves::ShelvesStub<Library>, ());
/// The stubs of all areas; the services are in the order of the names of their contexts.
pub fn areas<Library: shelves::ShelvesApi>(
    library: std::sync::Arc<Library>,
) -> Areas<Library> {
    (shelves::ShelvesStub(std::sync::Arc::clone(&library)), ())
}
