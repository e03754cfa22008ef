//! Content and its revisions, change requests, reviews, merging, comments, search, imports.

mod backlinks;
mod change_requests;
mod comment_bodies;
mod comment_races;
mod comment_replies;
mod comment_reviews;
mod comment_targets;
mod comments;
mod content;
mod content_hostile;
mod content_links;
mod content_reads;
mod files;
mod import;
mod import_again;
mod import_kills;
mod large_texts;
mod merge_kills;
mod merge_rules;
mod merging;
mod reactions;
mod reviews;
mod search_book;
mod search_index;
mod search_results;
mod uploads;
