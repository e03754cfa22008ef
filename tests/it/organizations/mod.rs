//! Organizations, their members, teams and invitations, and the audit log.

mod agent_instructions;
mod audit;
mod consent;
mod email_domains;
mod invitations;
mod joining;
mod members;
mod organization;
mod team_members;
pub mod teams;
