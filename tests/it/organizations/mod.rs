//! Organizations, their members, teams and invitations, and the audit log.

mod account;
mod account_proofs;
mod agent_instructions;
mod audit;
mod changed_providers;
mod consent;
mod docs_session;
mod email_domains;
mod invitations;
mod joining;
mod long_lists;
mod members;
mod organization;
mod required_sso;
mod saml_encryption;
mod saml_providers;
mod sign_in;
mod team_members;
mod teams;
mod two_nodes;
mod user_events;
