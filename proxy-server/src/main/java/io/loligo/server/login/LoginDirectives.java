package io.loligo.server.login;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives about users and their passwords. */
public final class LoginDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Login");

  /** {@code auth_param}: the schemes; none: nobody can log in. */
  public static final Setting<AuthSchemes> AUTH_PARAM =
      FEATURE
          .lines("auth_param", "SCHEME PARAMETER VALUE...", AuthParamLines::new)
          .secret()
          .difference(
              "basic_ncsa_auth, basic_ldap_auth and digest_file_auth run inside the proxy, LDAP"
                  + " without OpenLDAP's ldap.conf, -v 2 and -E; a directory that cannot be reached"
                  + " gives 503, not 407; other programs are helpers, see auth_param children and"
                  + " loligo_helper_timeout; a changed file of users counts at once, also for"
                  + " passwords checked before; too many waiting checks give 503, not an end of the"
                  + " process; quotes around a realm are removed; utf8 converts from ISO-8859-1"
                  + " only; Basic credentials of more than 1024 bytes, and several fields with"
                  + " credentials, are refused; Digest offers SHA-256 before MD5, a response for"
                  + " another URL is wrong, MD5-sess and responses without qop are refused, a"
                  + " response that was used before is refused the first time too, and nextnonce is"
                  + " not sent; negotiate_kerberos_auth runs inside the proxy: without -s any key"
                  + " of the keytab counts, and -c and -t have no effect; Negotiate and NTLM are"
                  + " not offered over HTTP/2 and behind other proxies, the last token is not sent"
                  + " to the client, a token that is not valid closes the connection, another token"
                  + " on a connection that has logged in is another login, a token that is not"
                  + " Base64 reaches no program, and a program that dies gives 503, not 407")
          .text(
              "How users log in. A scheme takes effect with its program line, which must be above"
                  + " acl lines of the types proxy_auth, proxy_auth_regex and max_user_ip. SCHEME"
                  + " is basic, digest, negotiate or ntlm; several schemes are offered in the order"
                  + " of their first lines. PARAMETER of all is one of: program PATH/PROGRAM"
                  + " ARGUMENT...; realm TEXT (basic has Squid's default, digest must have the"
                  + " line); utf8 on|off; children NUMBER (most checks or helper processes at the"
                  + " same time) with queue-size=NUMBER; key_extras \"FORMAT\" (what a helper"
                  + " program reads behind its question, in codes of logformat). basic also has:"
                  + " program PATH/basic_ncsa_auth FILE (the users and their hashes: bcrypt,"
                  + " SHA-512, SHA-256 and MD5 of crypt, apr1, {SHA}; old DES never matches) with"
                  + " at most half the cores for checks; program PATH/basic_ldap_auth with the"
                  + " options of that program (a directory); credentialsttl TIME (how long a"
                  + " checked password is not checked again, 2 hours); casesensitive on|off (off:"
                  + " names are put into lower case). digest also has: program"
                  + " PATH/digest_file_auth [-c] FILE; nonce_max_count NUMBER (most requests with"
                  + " one nonce, 50); nonce_max_duration TIME (30 minutes); nonce_garbage_interval"
                  + " TIME (how often old nonces are forgotten, 5 minutes); check_nonce_count"
                  + " on|off (on: a count is used once); nonce_strictness on|off (off: counts may"
                  + " have gaps); post_workaround on|off (off; on: a response for GET is right for"
                  + " other methods); loligo_md5 on|off (off: only SHA-256 is offered). negotiate"
                  + " has: program PATH/negotiate_kerberos_auth [-k KEYTAB] [-s SERVICE] [-r] (-r:"
                  + " names have no realm). negotiate and ntlm have: keep_alive on|off (on; off:"
                  + " the connection closes after the first challenge); children ..."
                  + " reservation-timeout=SECONDS (64: how long a child waits for its client if"
                  + " others wait for the child).");

  /** {@code auth_schemes}: which schemes a challenge offers. */
  public static final Setting<OfferRules> AUTH_SCHEMES =
      FEATURE
          .lines("auth_schemes", "SCHEME[,SCHEME...] [!]ACL...", OfferLines::new)
          .text(
              "Which schemes a client is offered that must log in, and in which order. The first"
                  + " line whose ACLs match decides. ALL stands for all schemes in the order of"
                  + " their auth_param lines, which also holds if no line matches. A client may"
                  + " use any scheme that has a program, offered or not.");

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

  /** {@code loligo_shared_connection_login}. */
  public static final Setting<Boolean> SHARED_CONNECTION_LOGIN =
      FEATURE
          .flag("loligo_shared_connection_login", "off")
          .text(
              "Whether a login by Negotiate or NTLM counts for a whole connection that comes from"
                  + " another proxy: its requests have Via, or X-Forwarded-For names the client. On"
                  + " means that this proxy sends requests of one user only on each connection.");

  private LoginDirectives() {}
}
