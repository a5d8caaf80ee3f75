package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Feature;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Setting;

/** Directives that decide which facts about this proxy and its clients others learn. Immutable. */
public final class IdentityDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Identity");

  /** {@code via}: whether the proxy sends Via. Default: on. */
  public static final Setting<Boolean> VIA =
      FEATURE
          .flag("via", "on")
          .text(
              "Whether Via is sent. off violates HTTP: only proxies that send Via find a loop. With"
                  + " off, requests that come from the address of a cache_peer go to no sibling, so"
                  + " that siblings cannot pass them round.");

  /** {@code forwarded_for}: how the proxy sends X-Forwarded-For. */
  public static final Setting<ForwardedFor> FORWARDED_FOR =
      FEATURE
          .choice("forwarded_for", ForwardedFor.ON, ForwardedFor.class)
          .readAs("no", "transparent")
          .text(
              "What becomes of X-Forwarded-For: on adds the client's address, off adds"
                  + " unknown, transparent leaves the field alone, truncate replaces it with the"
                  + " client's address, delete removes it.");

  /** {@code loligo_forwarded}: how the proxy sends Forwarded. */
  public static final Setting<ForwardedFor> FORWARDED =
      FEATURE
          .choice("loligo_forwarded", ForwardedFor.TRANSPARENT, ForwardedFor.class)
          .text(
              "What becomes of Forwarded (RFC 7239): on adds an element with the client's"
                  + " address, the host and the scheme of the request; off adds the same with"
                  + " unknown for the address. transparent leaves the field alone, truncate"
                  + " replaces it with the element of on, delete removes it.");

  /** {@code visible_hostname}: the name of this proxy. Default: the name of the host. */
  public static final Setting<String> VISIBLE_HOSTNAME =
      FEATURE
          .text("visible_hostname", "")
          .form("NAME")
          .or(reading -> reading.source().hostName())
          .text(
              "The name in Via, Cache-Status and error pages. The default is the name of"
                  + " the host.");

  /** {@code httpd_suppress_version_string}: no effect. Clients never see a version. */
  public static final Setting<Boolean> HTTPD_SUPPRESS_VERSION_STRING =
      FEATURE
          .flag("httpd_suppress_version_string", "off")
          .difference("always so: clients never see a version")
          .text("Hides the version from clients.");

  /** {@code cache_mgr}: the administrator's address on error pages. */
  public static final Setting<String> CACHE_MGR =
      FEATURE
          .text("cache_mgr", "webmaster")
          .text("The address of the administrator on error pages.");

  /** {@code loligo_cache_status_key}: whether Cache-Status shows the key. Default: off. */
  public static final Setting<Boolean> CACHE_STATUS_KEY =
      FEATURE
          .flag("loligo_cache_status_key", "off")
          .text(
              "Whether Cache-Status shows the key of a stored response. It shows the"
                  + " query only with strip_query_terms off.");

  /**
   * {@code loligo_request_id_trust}: whose X-Request-ID is the id of the request. Default: none.
   */
  public static final Setting<AclList> REQUEST_ID_TRUST =
      FEATURE
          .rules("loligo_request_id_trust", "deny all", RuleScope.CLIENT)
          .text(
              "Clients whose X-Request-ID becomes the id of the request, such as a proxy in front."
                  + " The ACL type src tests the address of the connection. The field must be there"
                  + " once, with at most 128 characters of visible ASCII but quotation marks and"
                  + " backslashes. Every other request gets an id of this proxy's own.");

  /**
   * {@code loligo_request_id_send}: which requests have their id in X-Request-ID. Default: none.
   */
  public static final Setting<AclList> REQUEST_ID_SEND =
      FEATURE
          .rules("loligo_request_id_send", "deny all", RuleScope.REQUEST)
          .text(
              "Requests that are sent on with their id in X-Request-ID, in place of the client's"
                  + " field. ICAP services get it too, in the ICAP request. Other requests keep the"
                  + " client's field, as in Squid.");

  private IdentityDirectives() {}
}
