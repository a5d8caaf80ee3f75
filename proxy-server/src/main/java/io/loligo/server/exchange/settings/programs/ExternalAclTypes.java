package io.loligo.server.exchange.settings.programs;

import io.loligo.core.acl.ExternalAcl;
import java.util.List;

/**
 * All {@code external_acl_type} lines. Immutable.
 *
 * @param types in their order
 * @param later ACLs in lists that are evaluated after {@code http_access}: their helpers are asked
 *     before
 */
public record ExternalAclTypes(List<ExternalAclType> types, List<ExternalAcl> later) {}
