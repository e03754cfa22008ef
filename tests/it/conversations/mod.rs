//! Conversations with customers, their issues and clusters of issues.

mod change_requests;
mod clusters;
mod ingestion;
mod kills;
mod language_model;
mod limits;
mod mails;
