//! Rows that are read by position.

use entity::{
    authoring::change_requests,
    library::{collections, nodes, spaces},
    publishing::sites::{self, adaptive_schemas, publishing_auth, share_links},
    stored_row::StoredRow,
};
use sea_orm::{Iterable, sea_query::Iden};

fn read_in_order<R: StoredRow, C: Iterable + Iden>() {
    let selected: Vec<String> = C::iter().map(|column| column.unquoted().to_owned()).collect();
    assert_eq!(selected, R::COLUMNS);
}

#[test]
fn columns_are_read_in_the_order_of_queries() {
    read_in_order::<change_requests::Model, change_requests::Column>();
    read_in_order::<collections::Model, collections::Column>();
    read_in_order::<nodes::Model, nodes::Column>();
    read_in_order::<spaces::Model, spaces::Column>();
    read_in_order::<sites::Model, sites::Column>();
    read_in_order::<adaptive_schemas::Model, adaptive_schemas::Column>();
    read_in_order::<publishing_auth::Model, publishing_auth::Column>();
    read_in_order::<share_links::Model, share_links::Column>();
}
