//! What tests share.

pub mod client;
pub mod comments;
pub mod content;
pub mod contract;
pub mod crowd;
pub mod database;
pub mod dns;
pub mod jobs;
pub mod late_body;
pub mod mails;
pub mod normal_form;
pub mod paths;
pub mod places;
pub mod record;
pub mod recount;
pub mod requests;
pub mod rows;
pub mod samples;
pub mod search;
pub mod service;
pub mod smtp;
pub mod templates;
pub mod texts;
pub mod tree;
pub mod world;
