package io.loligo.server.adapt;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.core.acl.Notes;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.FieldLines;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.tls.TlsOptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The services of one configuration, and the rules that choose among them. Immutable.
 *
 * @param icap values that all services share
 * @param rules by the order of their first line
 * @param meta further fields of ICAP requests
 * @param identity the facts about the client that services get
 * @param sequence what holds for services one after another
 * @param retry which messages are sent again
 * @param retryLimit how often
 */
public record AdaptationSettings(
    IcapSettings icap,
    List<Rule> rules,
    List<Meta> meta,
    Identity identity,
    Sequence sequence,
    AclList retry,
    int retryLimit) {
  private static final String REQUEST_ID = "X-Request-ID";

  /** The {@code adaptation_access} lines of one group. */
  public record Rule(ServiceGroup group, AclList access) {}

  /**
   * One {@code adaptation_meta} line.
   *
   * @param format the value with codes; null: {@code value} is sent
   */
  public record Meta(String name, String value, @Nullable LogFormat format, AclList when) {
    /** The most bytes of a value with codes: {@value}. */
    static final int MAX_VALUE_BYTES = 8_192;

    private Notes.Note of(Supplier<ExchangeRecord> record) {
      if (format == null) {
        return new Notes.Note(name, value);
      }
      byte[] text = format.bytes(record.get());
      int length = Math.min(text.length, MAX_VALUE_BYTES);
      for (int i = 0; i < length; i++) {
        boolean control = (text[i] >= 0 && text[i] < ' ') || text[i] == 0x7f;
        text[i] = control ? (byte) ' ' : text[i];
      }
      return new Notes.Note(name, new String(text, 0, length, StandardCharsets.ISO_8859_1));
    }
  }

  /**
   * What holds for services one after another.
   *
   * @param services all of them, by name
   * @param most that a message passes
   * @param sharedName the field that they share; null: none
   */
  public record Sequence(
      Map<String, IcapService> services, int most, @Nullable String sharedName) {}

  /**
   * The facts about the client that services get.
   *
   * @param address whether its address
   * @param indirect whether that is the address behind trusted proxies
   * @param user whether the user
   * @param userField the name of the field with the user
   * @param encodesUser whether its value is in base64
   */
  public record Identity(
      boolean address, boolean indirect, boolean user, String userField, boolean encodesUser) {}

  /**
   * The settings in {@code config}; null: no message is adapted.
   *
   * @param connectMillis {@code connect_timeout}
   * @param peerConnectMillis {@code peer_connect_timeout}
   * @param readMillis {@code read_timeout}
   */
  public static @Nullable AdaptationSettings of(
      ProxyConfig config, long connectMillis, long peerConnectMillis, long readMillis) {
    List<Rule> rules = config.get(AdaptationDirectives.ADAPTATION_ACCESS);
    if (!config.get(AdaptationDirectives.ICAP_ENABLE) || rules.isEmpty()) {
      return null;
    }
    Long connect = config.get(AdaptationDirectives.CONNECT_TIMEOUT);
    Long io = config.get(AdaptationDirectives.IO_TIMEOUT);
    FailureLimit failures = config.get(AdaptationDirectives.FAILURE_LIMIT);
    String userField = config.get(AdaptationDirectives.USERNAME_HEADER);
    return new AdaptationSettings(
        new IcapSettings(
            ParseLimits.ofResponses(config),
            connect == null ? connectMillis : connect,
            connect == null ? peerConnectMillis : connect,
            io == null ? readMillis : io,
            config.get(AdaptationDirectives.PERSISTENT),
            config.get(AdaptationDirectives.PREVIEW_ENABLE),
            config.get(AdaptationDirectives.PREVIEW_SIZE),
            config.get(AdaptationDirectives.PARTIAL),
            failures.most(),
            failures.memoryMillis(),
            config.get(AdaptationDirectives.REVIVAL_DELAY),
            config.get(AdaptationDirectives.OPTIONS_TTL)),
        rules,
        config.get(AdaptationDirectives.META),
        new Identity(
            config.get(AdaptationDirectives.SEND_CLIENT_IP),
            config.get(AdaptationDirectives.INDIRECT_CLIENT),
            config.get(AdaptationDirectives.SEND_USERNAME),
            userField == null ? "X-Client-Username" : userField,
            config.get(AdaptationDirectives.USERNAME_ENCODE)),
        new Sequence(
            config.get(AdaptationDirectives.ICAP_SERVICE),
            config.get(AdaptationDirectives.MOST_SERVICES),
            config.get(AdaptationDirectives.SHARED_NAME)),
        config.get(AdaptationDirectives.RETRY),
        config.get(AdaptationDirectives.RETRY_LIMIT));
  }

  /** The counts of the services that {@code config} uses, in the order of their lines. */
  public static List<ServiceCounts> counts(ProxyConfig config) {
    return config.get(AdaptationDirectives.ICAP_ENABLE)
        ? config.get(AdaptationDirectives.ICAP_SERVICE).values().stream()
            .map(IcapService::counts)
            .toList()
        : List.of();
  }

  /** The options of TLS with the services that {@code config} uses. */
  public static Set<TlsOptions> tls(ProxyConfig config) {
    Set<TlsOptions> all = new HashSet<>();
    if (config.get(AdaptationDirectives.ICAP_ENABLE)) {
      for (IcapService service : config.get(AdaptationDirectives.ICAP_SERVICE).values()) {
        if (service.tls() != null) {
          all.add(service.tls().options());
        }
      }
    }
    return all;
  }

  /** Whether a rule chooses a service for responses, or for requests. */
  public boolean adapts(boolean responses) {
    return rules.stream().anyMatch(rule -> rule.group().responses() == responses);
  }

  /** How often a message about {@code input} is sent again. */
  public int retries(AclInput input) {
    return retryLimit > 0 && retry.evaluate(input).allowed() ? retryLimit : 0;
  }

  /**
   * The fields of {@code adaptation_meta} for a message about {@code input}.
   *
   * @param record for values with codes
   */
  public List<Notes.Note> meta(AclInput input, Supplier<ExchangeRecord> record) {
    List<Notes.Note> chosen = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Meta one : meta) {
      String name = one.name().toLowerCase(Locale.ROOT);
      if (!names.contains(name) && one.when().evaluate(input).allowed()) {
        names.add(name);
        chosen.add(one.of(record));
      }
    }
    return chosen;
  }

  /**
   * The field lines about the client and the request, and those of {@code adaptation_meta}, which
   * may have an X-Request-ID of their own.
   *
   * @param address of the client, as text; null: none is known
   * @param user null: none is known
   * @param shared the value of the field that services share; null: none
   * @param requestId null: it is not told
   * @param chosen by {@link #meta(AclInput, Supplier)}
   */
  public byte[] lines(
      @Nullable String address,
      @Nullable String user,
      @Nullable String shared,
      @Nullable String requestId,
      List<Notes.Note> chosen) {
    FieldLines lines = new FieldLines(64);
    if (identity.address() && address != null) {
      lines.add("X-Client-IP", address);
    }
    if (identity.user() && user != null) {
      byte[] name = user.getBytes(StandardCharsets.ISO_8859_1);
      boolean plain = user.chars().allMatch(c -> c >= ' ' && c < 0x7f);
      if (identity.encodesUser()) {
        lines.add(identity.userField(), Base64.getEncoder().encodeToString(name));
      } else if (plain) {
        lines.add(identity.userField(), user);
      }
    }
    String sharedName = sequence.sharedName();
    if (sharedName != null && shared != null) {
      lines.add(sharedName, shared);
    }
    if (requestId != null
        && chosen.stream().noneMatch(one -> REQUEST_ID.equalsIgnoreCase(one.name()))) {
      lines.add(REQUEST_ID, requestId);
    }
    chosen.forEach(one -> lines.add(one.name(), one.value()));
    return lines.toBytes();
  }
}
