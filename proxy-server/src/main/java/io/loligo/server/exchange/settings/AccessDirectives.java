package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Feature;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Setting;
import io.loligo.core.config.SizeLimits;

/** Directives that decide which requests and responses are allowed. Immutable. */
public final class AccessDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Access");

  /** {@code http_access}: which requests are allowed. Default: none. */
  public static final Setting<AclList> HTTP_ACCESS =
      FEATURE
          .rules("http_access", "deny all", RuleScope.ADMISSION)
          .text(
              "Which requests are allowed. The first line whose ACLs all match decides."
                  + " If none matches, the opposite of the last line holds. Without any line,"
                  + " everything is denied.");

  /** {@code adapted_http_access}: which requests are allowed after their adaptation. */
  public static final Setting<AclList> ADAPTED_HTTP_ACCESS =
      FEATURE
          .rules("adapted_http_access", "allow all", RuleScope.ADMITTED)
          .alias("http_access2")
          .difference("an ACL about the response stops the start")
          .text(
              "Which of the requests that http_access allows are allowed, asked again after the"
                  + " request was rewritten or adapted.");

  /** {@code miss_access}: which requests may be sent on. */
  public static final Setting<AclList> MISS_ACCESS =
      FEATURE
          .rules("miss_access", "allow all", RuleScope.ADMITTED)
          .difference("an ACL about the response stops the start")
          .text(
              "Which requests may be sent to origins and parents: a miss, a validation or a tunnel"
                  + " of another request gets 403 (ERR_FORWARDING_DENIED). Fresh stored responses"
                  + " are sent all the same.");

  /** {@code http_reply_access}: which responses are sent to clients. Default: all. */
  public static final Setting<AclList> HTTP_REPLY_ACCESS =
      FEATURE
          .rules("http_reply_access", "allow all", RuleScope.RESPONSE)
          .text("Which responses are passed on. The ACLs may ask about the response.");

  /** {@code http_upgrade_request_protocols}: the protocols that a request may switch to. */
  public static final Setting<Upgrades> UPGRADES =
      FEATURE
          .lines(
              "http_upgrade_request_protocols",
              "PROTOCOL|OTHER allow|deny [!]ACL...",
              UpgradeLines::new)
          .squid("deny all", "http_access has decided already, and WebSocket is part of browsing")
          .difference(
              "without a line, WebSocket is allowed; the case of protocol names does not"
                  + " matter; the first allowed protocol of several is passed on")
          .text(
              "Which protocols a request may switch to with Upgrade. PROTOCOL/VERSION"
                  + " matches offers of that version only, PROTOCOL matches all versions, OTHER"
                  + " matches protocols that no line names. The first line whose ACLs match"
                  + " decides. If none matches, the offer is removed.");

  /** {@code cache}: which requests may use the store. Default: all. */
  public static final Setting<AclList> CACHE =
      FEATURE
          .rules("cache", "allow all", RuleScope.REQUEST)
          .alias("no_cache")
          .text(
              "Which requests may use the cache. A denied request gets no stored"
                  + " response, and its response is not stored.");

  /** {@code store_miss}: which responses may be stored. Default: all. */
  public static final Setting<AclList> STORE_MISS =
      FEATURE
          .rules("store_miss", "allow all", RuleScope.RESPONSE)
          .text(
              "Which responses may be stored. The ACLs may ask about the response. A"
                  + " denied response goes only to the client that caused the fetch. A response"
                  + " that is already stored stays stored, and a 304 still updates it.");

  /** {@code send_hit}: which stored responses may be sent. Default: all. */
  public static final Setting<AclList> SEND_HIT =
      FEATURE
          .rules("send_hit", "allow all", RuleScope.RESPONSE)
          .text(
              "Which stored responses may be sent. The ACLs may ask about the response."
                  + " If it is denied, the request is a miss: the request goes to the origin as"
                  + " if nothing were stored, and the new response is stored as usual.");

  /** {@code loligo_reverse_dns}: whether rules about names apply to addresses in URLs. */
  public static final Setting<Boolean> REVERSE_DNS =
      FEATURE
          .flag("loligo_reverse_dns", "on")
          .text(
              "Whether the name of an address in a URL is looked up where http_access reaches a"
                  + " dstdomain or dstdom_regex ACL without -n that the address does not match.");

  /** {@code loligo_url_userinfo}: true: a URL with user information gets 400. */
  public static final Setting<Boolean> URL_USERINFO =
      FEATURE
          .word("loligo_url_userinfo", "ignore", "ignore", "refuse")
          .as("refuse"::equals)
          .text(
              "What happens to http://user:password@host/ in a request. ignore: the part before @"
                  + " is removed; no rule, log, origin or parent sees it. refuse: 400, as RFC 9110"
                  + " section 4.2.4 advises.");

  /** {@code request_body_max_size} in bytes; -1: no limit. The directive's 0 becomes -1. */
  public static final Setting<Long> REQUEST_BODY_MAX_SIZE =
      FEATURE
          .bytes("request_body_max_size", "0 KB")
          .noLimit()
          .as(bytes -> bytes == 0 ? ProxyConfig.NO_LIMIT : bytes)
          .text("Largest request content. A larger one gets 413. 0: no limit.");

  /** {@code reply_body_max_size} in bytes; -1: no limit. */
  public static final Setting<SizeLimits> REPLY_BODY_MAX_SIZE =
      FEATURE
          .limits("reply_body_max_size", "none", RuleScope.RESPONSE)
          .noLimit()
          .text(
              "Largest response content. A larger one is refused or cut. The first line"
                  + " whose ACLs match holds.");

  private AccessDirectives() {}
}
