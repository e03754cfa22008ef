//! What can be searched: the text of pages as readers see it. The terms by which it is found are in `search_terms`, which
//! each database has in a form of its own and only the migrations make.

pub mod pages;
pub mod spaces;
