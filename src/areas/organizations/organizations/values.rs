//! Enumerations of organizations, stored and on the wire.

use entity::organizations as stored;
use openapi::models as wire;

pub fn wire_type(value: stored::OrganizationType) -> wire::OrganizationType {
    match value {
        stored::OrganizationType::Business => wire::OrganizationType::Business,
        stored::OrganizationType::Community => wire::OrganizationType::Community,
    }
}

pub fn stored_type(value: wire::OrganizationType) -> stored::OrganizationType {
    match value {
        wire::OrganizationType::Business => stored::OrganizationType::Business,
        wire::OrganizationType::Community => stored::OrganizationType::Community,
    }
}

pub fn use_case(value: stored::OrganizationUseCase) -> wire::OrganizationUseCase {
    match value {
        stored::OrganizationUseCase::InternalDocs => wire::OrganizationUseCase::InternalDocs,
        stored::OrganizationUseCase::DocsSite => wire::OrganizationUseCase::DocsSite,
        stored::OrganizationUseCase::AudienceControlledSite => wire::OrganizationUseCase::AudienceControlledSite,
        stored::OrganizationUseCase::ProductDocs => wire::OrganizationUseCase::ProductDocs,
        stored::OrganizationUseCase::TeamKnowledgeBase => wire::OrganizationUseCase::TeamKnowledgeBase,
        stored::OrganizationUseCase::DesignSystem => wire::OrganizationUseCase::DesignSystem,
        stored::OrganizationUseCase::OpenSourceDocs => wire::OrganizationUseCase::OpenSourceDocs,
        stored::OrganizationUseCase::Notes => wire::OrganizationUseCase::Notes,
        stored::OrganizationUseCase::Other => wire::OrganizationUseCase::Other,
    }
}

pub fn stored_use_case(value: wire::OrganizationUseCase) -> stored::OrganizationUseCase {
    match value {
        wire::OrganizationUseCase::InternalDocs => stored::OrganizationUseCase::InternalDocs,
        wire::OrganizationUseCase::DocsSite => stored::OrganizationUseCase::DocsSite,
        wire::OrganizationUseCase::AudienceControlledSite => stored::OrganizationUseCase::AudienceControlledSite,
        wire::OrganizationUseCase::ProductDocs => stored::OrganizationUseCase::ProductDocs,
        wire::OrganizationUseCase::TeamKnowledgeBase => stored::OrganizationUseCase::TeamKnowledgeBase,
        wire::OrganizationUseCase::DesignSystem => stored::OrganizationUseCase::DesignSystem,
        wire::OrganizationUseCase::OpenSourceDocs => stored::OrganizationUseCase::OpenSourceDocs,
        wire::OrganizationUseCase::Notes => stored::OrganizationUseCase::Notes,
        wire::OrganizationUseCase::Other => stored::OrganizationUseCase::Other,
    }
}

pub fn community_type(value: stored::OrganizationCommunityType) -> wire::OrganizationCommunityType {
    match value {
        stored::OrganizationCommunityType::NonProfit => wire::OrganizationCommunityType::NonProfit,
        stored::OrganizationCommunityType::OpenSource => wire::OrganizationCommunityType::OpenSource,
        stored::OrganizationCommunityType::Education => wire::OrganizationCommunityType::Education,
    }
}

pub fn stored_community_type(value: wire::OrganizationCommunityType) -> stored::OrganizationCommunityType {
    match value {
        wire::OrganizationCommunityType::NonProfit => stored::OrganizationCommunityType::NonProfit,
        wire::OrganizationCommunityType::OpenSource => stored::OrganizationCommunityType::OpenSource,
        wire::OrganizationCommunityType::Education => stored::OrganizationCommunityType::Education,
    }
}

pub fn plan(value: stored::BillingProduct) -> wire::OrganizationPlan {
    match value {
        stored::BillingProduct::Free2024 => wire::OrganizationPlan::Free2024,
        stored::BillingProduct::Plus2024 => wire::OrganizationPlan::Plus2024,
        stored::BillingProduct::Pro2024 => wire::OrganizationPlan::Pro2024,
        stored::BillingProduct::Enterprise2024 => wire::OrganizationPlan::Enterprise2024,
        stored::BillingProduct::Community2024 => wire::OrganizationPlan::Community2024,
        stored::BillingProduct::Free => wire::OrganizationPlan::Free,
        stored::BillingProduct::Plus => wire::OrganizationPlan::Plus,
        stored::BillingProduct::Pro => wire::OrganizationPlan::Pro,
        stored::BillingProduct::Internal => wire::OrganizationPlan::Internal,
    }
}
