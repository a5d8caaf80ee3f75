package io.loligo.server.exchange.settings.programs;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives about ACLs that helper programs decide. Immutable. */
public final class ExternalAclDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("External ACLs");

  /** {@code external_acl_type}. */
  public static final Setting<ExternalAclTypes> EXTERNAL_ACL_TYPE =
      FEATURE
          .lines("external_acl_type", ExternalAclLines.FORM, ExternalAclLines::new)
          .difference(
              "ext_ldap_group_acl runs inside the proxy, without OpenLDAP's ldap.conf, -v 2 and -E;"
                  + " ACLs in lists that are evaluated after http_access are asked about once,"
                  + " before; a helper without an answer in loligo_helper_timeout counts as broken;"
                  + " large answers count several times in cache=; %note never shows password=")
          .text(
              "A helper program that decides acl ... external. It reads one line for each"
                  + " question: the codes of logformat, with the arguments of the ACL in place of"
                  + " %DATA or at the end. It answers OK (the ACL matches), ERR (it does not) or"
                  + " BH (it is broken: the list of rules ends, and http_access denies). Pairs"
                  + " behind it: user=, tag= and log= for logs (%ue, %et, %ea), message= for error"
                  + " pages (%o), user= and password= for cache_peer login=PASS; all but password="
                  + " are notes (%note). Answers are kept for ttl seconds (3600), ERR for"
                  + " negative_ttl; in the last grace percent (1) the helper is asked again while"
                  + " the old answer counts. cache: the most answers kept (262144); 0: none. The"
                  + " other options are those of url_rewrite_children. Further codes: %ACL, %DATA,"
                  + " %USER_CERT and %USER_CERTCHAIN (the client's certificate in PEM),"
                  + " %USER_CERT_xx and %USER_CA_CERT_xx (attributes of the client's certificate),"
                  + " %LOGIN (the user must log in), and names of Squid 2 such as %SRC, %URI and"
                  + " %{Field}.");

  private ExternalAclDirectives() {}
}
