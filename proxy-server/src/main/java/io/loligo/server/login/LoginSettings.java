package io.loligo.server.login;

import io.loligo.core.acl.AclType;
import io.loligo.core.config.FileDirectives;
import io.loligo.core.config.ProxyConfig;

/**
 * The values of {@link LoginDirectives} in one configuration. Immutable.
 *
 * @param schemes the schemes; none: nobody can log in
 * @param offers which of them a challenge offers
 * @param idleSeconds how long an unused login is kept
 * @param addressSeconds how long an address of a user counts
 * @param mostFailures wrong passwords for one name from one client in a minute; 0: no limit
 * @param countsAddresses whether an ACL asks for the number of a user's addresses
 * @param bindsShared whether logins belong to connections of other proxies, too
 */
public record LoginSettings(
    AuthSchemes schemes,
    OfferRules offers,
    long idleSeconds,
    long addressSeconds,
    int mostFailures,
    boolean countsAddresses,
    boolean bindsShared) {
  /** Those of {@code config}. */
  public static LoginSettings of(ProxyConfig config) {
    return new LoginSettings(
        config.get(LoginDirectives.AUTH_PARAM),
        config.get(LoginDirectives.AUTH_SCHEMES),
        config.get(LoginDirectives.AUTHENTICATE_TTL),
        config.get(LoginDirectives.AUTHENTICATE_IP_TTL),
        config.get(LoginDirectives.LOGIN_FAILURES),
        config.get(FileDirectives.ACL).names(AclType.MAX_USER_IP),
        config.get(LoginDirectives.SHARED_CONNECTION_LOGIN));
  }
}
