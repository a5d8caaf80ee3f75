package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.FileDirectives;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.SizeLimits;
import io.loligo.server.exchange.settings.fields.FieldRules;
import io.loligo.server.upstream.OutgoingTlsDirectives;
import org.jspecify.annotations.Nullable;

/** The values of {@link AccessDirectives} in one configuration. Immutable. */
public final class AccessSettings {
  /** {@code http_access}: which requests are allowed. */
  public final AclList httpAccess;

  /** {@code adapted_http_access}: which of these are allowed after their adaptation. */
  public final AclList adaptedHttpAccess;

  /** {@code miss_access}: which requests may be sent to origins and parents. */
  public final AclList missAccess;

  /** {@code http_reply_access}: which responses are sent to clients. */
  public final AclList httpReplyAccess;

  /** {@code cache}: denied requests bypass the store. */
  public final AclList cache;

  /** {@code store_miss}: denied responses are not stored. */
  public final AclList storeMiss;

  /** {@code send_hit}: denied stored responses are not sent. */
  public final AclList sendHit;

  /** {@code sslproxy_cert_error}: requests sent in spite of a fault of the certificate. */
  public final AclList certError;

  /** {@code http_upgrade_request_protocols}: the protocols that a request may switch to. */
  public final Upgrades upgrades;

  /** {@code request_body_max_size}, in bytes; -1: no limit. */
  public final long requestBodyMaxBytes;

  /** {@code reply_body_max_size}, in bytes; -1: no limit. */
  public final SizeLimits replyBodyMax;

  /** The rules about the fields of requests that are sent on; null: there are none. */
  public final @Nullable FieldRules requestFields;

  /** The rules about the fields of responses to clients; null: there are none. */
  public final @Nullable FieldRules replyFields;

  /** Whether an ACL names {@code method PURGE}. If none does, PURGE gets 403. */
  public final boolean purgeEnabled;

  /** {@code loligo_reverse_dns}: whether rules about names apply to addresses in URLs. */
  public final boolean looksUpNames;

  /** Whether URLs with user information are refused, see {@code loligo_url_userinfo}. */
  public final boolean refusesUserInfo;

  AccessSettings(ProxyConfig config) {
    httpAccess = config.get(AccessDirectives.HTTP_ACCESS);
    adaptedHttpAccess = config.get(AccessDirectives.ADAPTED_HTTP_ACCESS);
    missAccess = config.get(AccessDirectives.MISS_ACCESS);
    httpReplyAccess = config.get(AccessDirectives.HTTP_REPLY_ACCESS);
    cache = config.get(AccessDirectives.CACHE);
    storeMiss = config.get(AccessDirectives.STORE_MISS);
    sendHit = config.get(AccessDirectives.SEND_HIT);
    certError = config.get(OutgoingTlsDirectives.SSLPROXY_CERT_ERROR);
    upgrades = config.get(AccessDirectives.UPGRADES);
    requestBodyMaxBytes = config.get(AccessDirectives.REQUEST_BODY_MAX_SIZE);
    replyBodyMax = config.get(AccessDirectives.REPLY_BODY_MAX_SIZE);
    requestFields = FieldRules.ofRequests(config);
    replyFields = FieldRules.ofResponses(config);
    refusesUserInfo = config.get(AccessDirectives.URL_USERINFO);
    looksUpNames = config.get(AccessDirectives.REVERSE_DNS);
    purgeEnabled = config.get(FileDirectives.ACL).namesPurge();
  }
}
