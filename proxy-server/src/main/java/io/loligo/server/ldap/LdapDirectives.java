package io.loligo.server.ldap;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives about directories. Immutable. */
public final class LdapDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Directories (LDAP)");

  /** {@code loligo_ldap_cafile}; {@code none}: the authorities of the Java runtime. */
  public static final Setting<String> CA_FILE =
      FEATURE
          .path("loligo_ldap_cafile", "none")
          .text(
              "A file with the certificates, in PEM, of the authorities that servers of"
                  + " basic_ldap_auth and ext_ldap_group_acl must have one of, with -Z and with"
                  + " ldaps:// URLs. It is read for each new connection. none: the authorities of"
                  + " the Java runtime. The files of OpenLDAP, such as ldap.conf, are not read.");

  private LdapDirectives() {}
}
