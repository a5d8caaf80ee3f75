package io.loligo.server.adapt;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Feature;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Setting;
import io.loligo.core.message.Ascii;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Directives about services that adapt messages. */
public final class AdaptationDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Adaptation");

  private static final int LEAST_REVIVAL_SECONDS = 30;

  /** {@code icap_enable}. */
  public static final Setting<Boolean> ICAP_ENABLE =
      FEATURE
          .flag("icap_enable", "off")
          .text(
              "Whether messages are sent to ICAP services (RFC 3507). off: the other lines about"
                  + " adaptation have no effect.");

  /** {@code icap_service}: services by name, in the order of their lines. */
  public static final Setting<Map<String, IcapService>> ICAP_SERVICE =
      FEATURE
          .lines("icap_service", ServiceLines.FORM, ServiceLines::new)
          .difference(
              "bypass=on also holds if the service answers with an error after it has read content;"
                  + " routing=on: X-Next-Services is read in final responses, not in 100, and an"
                  + " answer to a request ends the chain; a name that two lines have stops the"
                  + " start; ICAP does not count in the ACL connections_encrypted")
          .text(
              "An ICAP service. reqmod_precache: it adapts requests, before the store is asked."
                  + " respmod_precache: it adapts responses, before they are stored. bypass=on:"
                  + " messages continue unchanged while the service does not work, unless content"
                  + " is lost already. on-overload: what happens to a message while the service has"
                  + " its most connections. max-conn: that number, in place of the service's own."
                  + " The event loops share it evenly. routing=on: X-Next-Services in a response of"
                  + " the service names the services that the message passes after it, in place of"
                  + " the rest of the chain. icaps:// is ICAP over TLS. The service's certificate"
                  + " must be valid for the host in the URL, or for tls-domain=. The other options"
                  + " of TLS are those of cache_peer: tls-cert=, tls-key=, tls-cafile=,"
                  + " tls-capath=, tls-crlfile=, tls-min-version=, tls-options=, tls-cipher=,"
                  + " tls-flags=, tls-default-ca=.");

  /** {@code adaptation_service_set}: groups by name. */
  public static final Setting<Map<String, ServiceGroup>> SERVICE_SET =
      FEATURE
          .lines(
              "adaptation_service_set",
              GroupLines.FORM,
              reading -> new GroupLines(reading, /* chain= */ false))
          .alias("icap_class")
          .text(
              "Services that stand in for each other. The first one is asked; the next one if it"
                  + " fails and no content is lost.");

  /** {@code adaptation_service_chain}: groups by name. */
  public static final Setting<Map<String, ServiceGroup>> SERVICE_CHAIN =
      FEATURE
          .lines(
              "adaptation_service_chain",
              GroupLines.FORM,
              reading -> new GroupLines(reading, /* chain= */ true))
          .text(
              "Services that adapt a message one after another. A response of a service to a"
                  + " request ends the chain.");

  /** {@code adaptation_access}: rules by group, in the order of their first lines. */
  public static final Setting<List<AdaptationSettings.Rule>> ADAPTATION_ACCESS =
      FEATURE
          .lines("adaptation_access", AdaptationAccessLines.FORM, AdaptationAccessLines::new)
          .alias("icap_access")
          .difference("an unknown name stops the start")
          .text(
              "Which messages go to which service. At each point, the first service or group whose"
                  + " lines allow it gets the message. Without a line that allows it, a message is"
                  + " not adapted.");

  /** {@code adaptation_meta}. */
  public static final Setting<List<AdaptationSettings.Meta>> META =
      FEATURE
          .lines("adaptation_meta", MetaLines.FORM, MetaLines::new)
          .text(
              "A field that services get with the messages that the ACLs match. Of the lines with"
                  + " one name, the first that matches holds. A value in quotes may have the codes"
                  + " of logformat.");

  /** {@code adaptation_masterx_shared_names}: null: none. */
  public static final Setting<@Nullable String> SHARED_NAME =
      FEATURE
          .text("adaptation_masterx_shared_names", "none")
          .mustBe("the name of one field", Ascii::isToken, word -> "write it without a colon")
          .as(word -> word == null || word.equals("none") ? null : word)
          .text(
              "A field that services share: if a response of a service has it, the requests to"
                  + " services about the same request and its response have it from then on.");

  /** {@code adaptation_service_iteration_limit}. */
  public static final Setting<Integer> MOST_SERVICES =
      FEATURE
          .number("adaptation_service_iteration_limit", "16")
          .range(1, 1_000)
          .text(
              "The most services that a message passes one after another. A message with more"
                  + " fails: services with routing=on may send it round in circles.");

  /** {@code adaptation_send_client_ip}. */
  public static final Setting<Boolean> SEND_CLIENT_IP =
      FEATURE
          .flag("adaptation_send_client_ip", "off")
          .alias("icap_send_client_ip")
          .text("Whether services get the client's address, in X-Client-IP.");

  /** {@code adaptation_uses_indirect_client}. */
  public static final Setting<Boolean> INDIRECT_CLIENT =
      FEATURE
          .flag("adaptation_uses_indirect_client", "on")
          .alias("icap_uses_indirect_client")
          .text("Whether X-Client-IP has the address that follow_x_forwarded_for found.");

  /** {@code adaptation_send_username}. */
  public static final Setting<Boolean> SEND_USERNAME =
      FEATURE
          .flag("adaptation_send_username", "off")
          .alias("icap_send_client_username")
          .text("Whether services get the name of a user who has logged in.");

  /** {@code icap_client_username_header}. */
  public static final Setting<@Nullable String> USERNAME_HEADER =
      FEATURE
          .text("icap_client_username_header", "X-Client-Username")
          .mustBe(
              "the name of a field",
              word -> Ascii.isToken(withoutBackslashes(word)),
              word -> "write it without a colon")
          .as(word -> word == null ? null : withoutBackslashes(word))
          .difference("backslashes are left out: Squid sends them, and no field may have them")
          .text("The field with the name of the user.");

  /** Files in use escape characters that need no escape. */
  private static String withoutBackslashes(String word) {
    return word.replace("\\", "");
  }

  /** {@code icap_client_username_encode}. */
  public static final Setting<Boolean> USERNAME_ENCODE =
      FEATURE
          .flag("icap_client_username_encode", "off")
          .text("Whether the name of the user is sent in base64.");

  /** {@code icap_preview_enable}. */
  public static final Setting<Boolean> PREVIEW_ENABLE =
      FEATURE
          .flag("icap_preview_enable", "on")
          .text(
              "Whether services that want one get a preview: the first bytes of the content. The"
                  + " service then decides whether it needs the rest.");

  /** {@code icap_preview_size}: bytes; -1: none. */
  public static final Setting<Integer> PREVIEW_SIZE =
      FEATURE
          .number("icap_preview_size", "-1")
          .range(-1, Integer.MAX_VALUE)
          .or(reading -> -1)
          .text(
              "Bytes of a preview for a service that wants previews without saying how long. -1:"
                  + " none. A preview is not longer than 64 KB.");

  /** {@code icap_206_enable}. */
  public static final Setting<Boolean> PARTIAL =
      FEATURE
          .flag("icap_206_enable", "on")
          .text(
              "Whether services may change only the beginning of a message and leave the rest of"
                  + " its content as it is (206 with use-original-body). It holds for services"
                  + " whose options have Allow: 206, in a preview and for content of up to 64 KB.");

  /** {@code icap_connect_timeout}: milliseconds; null: that of origins or parents. */
  public static final Setting<@Nullable Long> CONNECT_TIMEOUT =
      FEATURE
          .millis("icap_connect_timeout", "")
          .<@Nullable Long>as(millis -> millis)
          .text(
              "Longest time to connect to a service. Default: peer_connect_timeout with bypass=on,"
                  + " else connect_timeout.");

  /** {@code icap_io_timeout}: milliseconds; null: {@code read_timeout}. */
  public static final Setting<@Nullable Long> IO_TIMEOUT =
      FEATURE
          .millis("icap_io_timeout", "")
          .<@Nullable Long>as(millis -> millis)
          .text(
              "Longest silence of a service that is to act, and longest wait for one of its"
                  + " connections. Default: read_timeout.");

  /** {@code icap_service_failure_limit}. */
  static final Setting<FailureLimit> FAILURE_LIMIT =
      FEATURE
          .lines("icap_service_failure_limit", FailureLimit.FORM, FailureLimit.Lines::new)
          .defaultText("10")
          .difference("each event loop counts for itself; any failure counts, not only to connect")
          .text(
              "A service with more failures is down until icap_service_revival_delay is over."
                  + " Failures are forgotten after TIME without one, and when the service's"
                  + " options are fetched. -1: no limit.");

  /** {@code icap_service_revival_delay}: milliseconds. */
  public static final Setting<Long> REVIVAL_DELAY =
      FEATURE
          .number("icap_service_revival_delay", "180")
          .range(LEAST_REVIVAL_SECONDS, Integer.MAX_VALUE)
          .raised()
          .as(seconds -> TimeUnit.SECONDS.toMillis(seconds == null ? 180 : seconds))
          .text("Seconds after which the options of a service that is down are asked for again.");

  /** {@code icap_default_options_ttl}: milliseconds. */
  public static final Setting<Long> OPTIONS_TTL =
      FEATURE
          .number("icap_default_options_ttl", "60")
          .range(1, Integer.MAX_VALUE)
          .as(seconds -> TimeUnit.SECONDS.toMillis(seconds == null ? 60 : seconds))
          .text("Seconds for which options of a service hold that names no Options-TTL.");

  /** {@code icap_persistent_connections}. */
  public static final Setting<Boolean> PERSISTENT =
      FEATURE
          .flag("icap_persistent_connections", "on")
          .text("Whether connections to services are reused.");

  /** {@code icap_retry}. */
  public static final Setting<AclList> RETRY =
      FEATURE
          .rules("icap_retry", "deny all", RuleScope.RESPONSE)
          .text(
              "Which messages are sent again, up to icap_retry_limit times, if the service fails"
                  + " and no content is lost.");

  /** {@code icap_retry_limit}. */
  public static final Setting<Integer> RETRY_LIMIT =
      FEATURE
          .number("icap_retry_limit", "0")
          .range(0, Integer.MAX_VALUE)
          .or(reading -> 0)
          .text(
              "How often a message is sent again. A kept connection that turns out to be closed is"
                  + " replaced in any case.");

  private AdaptationDirectives() {}
}
