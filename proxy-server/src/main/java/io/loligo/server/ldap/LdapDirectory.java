package io.loligo.server.ldap;

import org.jspecify.annotations.Nullable;

/**
 * The options that both programs have. Immutable.
 *
 * @param account searches and compares; null: nobody logs in for it
 */
record LdapDirectory(LdapServers servers, @Nullable LdapAccount account, LdapSearch search) {}
