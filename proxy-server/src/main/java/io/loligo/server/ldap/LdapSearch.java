package io.loligo.server.ldap;

import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.SearchScope;

/**
 * How a directory is searched. Immutable.
 *
 * @param scope {@code -s}
 * @param aliases {@code -a}
 * @param followsReferrals whether referrals are followed, without a login (no {@code -R})
 * @param seconds the limit that the server is told ({@code -t}); 0: none
 */
record LdapSearch(
    SearchScope scope, DereferencePolicy aliases, boolean followsReferrals, int seconds) {}
