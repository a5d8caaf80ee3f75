package io.loligo.server.login;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;
import org.jspecify.annotations.Nullable;

/** Directives about users and their passwords. */
public final class LoginDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Login");

  /** {@code auth_param}: the scheme basic; null: nobody can log in. */
  public static final Setting<@Nullable BasicSettings> AUTH_PARAM =
      FEATURE
          .lines("auth_param", "SCHEME PARAMETER VALUE...", AuthParamLines::new)
          .<@Nullable BasicSettings>as(found -> found.orElse(null))
          .secret()
          .difference(
              "basic_ncsa_auth and basic_ldap_auth run inside the proxy, without OpenLDAP's"
                  + " ldap.conf, -v 2 and -E; a directory that cannot be reached gives 503, not"
                  + " 407; other programs are helpers, see auth_param children and"
                  + " loligo_helper_timeout; a changed file of users counts at once, also for"
                  + " passwords checked before; too many waiting checks give 503, not an end of the"
                  + " process; quotes around a realm are removed; utf8 converts from ISO-8859-1"
                  + " only; credentials of more than 1024 bytes, and several fields with"
                  + " credentials, are refused")
          .text(
              "How users log in. A scheme takes effect with its program line, which must be above"
                  + " acl lines of the types proxy_auth, proxy_auth_regex and max_user_ip. SCHEME"
                  + " is basic. PARAMETER is one of: program PATH/basic_ncsa_auth FILE (the users"
                  + " and their hashes: bcrypt, SHA-512, SHA-256 and MD5 of crypt, apr1, {SHA};"
                  + " old DES never matches); program PATH/basic_ldap_auth with the options of that"
                  + " program (a directory); realm TEXT (the default is Squid's); credentialsttl"
                  + " TIME (how long a checked password is not checked again, 2 hours);"
                  + " casesensitive on|off (off: names are put into lower case); utf8 on|off;"
                  + " children NUMBER (most checks at the same time, and not more than half the"
                  + " cores) with queue-size=NUMBER (most checks that wait, 256).");

  /** {@code authenticate_ttl}, in seconds. */
  public static final Setting<Long> AUTHENTICATE_TTL =
      FEATURE
          .seconds("authenticate_ttl", "1 hour")
          .text("How long a checked login is kept after its last request.");

  /** {@code authenticate_ip_ttl}, in seconds. */
  public static final Setting<Long> AUTHENTICATE_IP_TTL =
      FEATURE
          .seconds("authenticate_ip_ttl", "1 second")
          .text("How long an address of a user counts for ACLs of the type max_user_ip.");

  /** {@code loligo_login_failures}; 0: no limit. */
  public static final Setting<Integer> LOGIN_FAILURES =
      FEATURE
          .number("loligo_login_failures", "20")
          .range(0, 1_000_000)
          .as(number -> number == null ? 0 : number)
          .text(
              "Most wrong passwords for one user name from one address (IPv6: from one network of"
                  + " 64 bits) in a minute. Further passwords for that name from there get 429"
                  + " without a check. 0: no limit.");

  private LoginDirectives() {}
}
