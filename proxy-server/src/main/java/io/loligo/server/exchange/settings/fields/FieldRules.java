package io.loligo.server.exchange.settings.fields;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules about the fields of requests, or of responses, of one configuration: one table from
 * names to rules. Immutable; any thread.
 */
public final class FieldRules {
  /** The proxy writes them behind the rules, or their loss changes the meaning of a message. */
  private static final FieldSet WRITTEN_BY_PROXY =
      FieldSet.of(
          FieldName.CONNECTION,
          FieldName.CONTENT_LENGTH,
          FieldName.EXPECT,
          FieldName.HOST,
          FieldName.HTTP2_SETTINGS,
          FieldName.KEEP_ALIVE,
          FieldName.PROXY_CONNECTION,
          FieldName.TE,
          FieldName.TRAILER,
          FieldName.TRANSFER_ENCODING,
          FieldName.UPGRADE);

  /** A 206 without it cannot be put in its place. */
  private static final FieldSet KEPT_IN_RESPONSES = WRITTEN_BY_PROXY.and(FieldName.CONTENT_RANGE);

  /** Ids that Squid has no name for: {@code Other} is about them. */
  private static final FieldSet OTHER =
      FieldSet.of(
          FieldName.CACHE_GROUPS,
          FieldName.CACHE_STATUS,
          FieldName.CDN_CACHE_CONTROL,
          FieldName.LOLIGO_CACHE_CONTROL,
          FieldName.PROXY,
          FieldName.SURROGATE_KEY,
          FieldName.XKEY);

  /** Names without an id that Squid knows: {@code Other} is not about them. */
  private static final List<String> KNOWN_TO_SQUID =
      List.of(
          "Accept-Charset",
          "Allow",
          "Alternate-Protocol",
          "Authentication-Info",
          "CDN-Loop",
          "Content-Base",
          "Content-Disposition",
          "Content-Language",
          "Content-MD5",
          "Cookie2",
          "From",
          "Front-End-Https",
          "FTP-Arguments",
          "FTP-Command",
          "FTP-Pre",
          "FTP-Reason",
          "FTP-Status",
          "Key",
          "Link",
          "Mime-Version",
          "Negotiate",
          "Proxy-support",
          "Public",
          "Request-Range",
          "Set-Cookie2",
          "Title",
          "Translate",
          "Unless-Modified-Since",
          "X-Accelerator-Vary",
          "X-Cache",
          "X-Cache-Lookup",
          "X-Next-Services",
          "X-Request-URI",
          "X-Squid-Error");

  /**
   * The rule of some names.
   *
   * @param number from 0, below {@link #count}
   * @param access whether the field is passed on
   * @param replacement the value in the place of a denied one; null: the line is left out
   */
  public record Rule(int number, AclList access, byte @Nullable [] replacement) {}

  private final FieldSet kept;
  private final FieldAccess access;
  private final Map<String, byte[]> replacements;
  private final List<AddedField> added;
  private final List<Rule> rules = new ArrayList<>();
  private final @Nullable Rule[] known = new @Nullable Rule[FieldName.COUNT];
  private final @Nullable Rule rest;

  /** Names without an id, in lower case; a power of two, at most half of it used. */
  private final byte[] @Nullable [] names;

  private final @Nullable Rule[] named;

  private FieldRules(
      FieldSet kept, FieldAccess access, Map<String, byte[]> replacements, List<AddedField> added) {
    this.kept = kept;
    this.access = access;
    this.replacements = replacements;
    this.added = added;
    for (int id = FieldName.OTHER + 1; id < FieldName.COUNT; id++) {
      known[id] = rule(FieldName.text(id), !OTHER.has(id));
    }
    Set<String> others = new LinkedHashSet<>();
    KNOWN_TO_SQUID.forEach(name -> others.add(name.toLowerCase(Locale.ROOT)));
    int squids = others.size();
    others.addAll(access.named().keySet());
    others.addAll(replacements.keySet());
    int slots = Integer.highestOneBit(others.size()) * 4;
    names = new byte[slots][];
    named = new @Nullable Rule[slots];
    int number = 0;
    for (String name : others) {
      put(name.getBytes(StandardCharsets.ISO_8859_1), rule(name, number++ < squids));
    }
    AclList forRest = access.other() != null ? access.other() : access.all();
    rest = forRest == null ? null : add(forRest, null);
  }

  /** The rules about requests; null: there are none. */
  public static @Nullable FieldRules ofRequests(ProxyConfig config) {
    return of(
        config,
        WRITTEN_BY_PROXY,
        FieldDirectives.REQUEST_ACCESS,
        FieldDirectives.REQUEST_REPLACE,
        FieldDirectives.REQUEST_ADD);
  }

  /** The rules about responses; null: there are none. */
  public static @Nullable FieldRules ofResponses(ProxyConfig config) {
    return of(
        config,
        KEPT_IN_RESPONSES,
        FieldDirectives.REPLY_ACCESS,
        FieldDirectives.REPLY_REPLACE,
        FieldDirectives.REPLY_ADD);
  }

  private static @Nullable FieldRules of(
      ProxyConfig config,
      FieldSet kept,
      Setting<FieldAccess> access,
      Setting<Map<String, byte[]>> replace,
      Setting<List<AddedField>> add) {
    FieldAccess lists = config.get(access);
    List<AddedField> added = config.get(add);
    return lists.isEmpty() && added.isEmpty()
        ? null
        : new FieldRules(kept, lists, config.get(replace), added);
  }

  /**
   * The rule of {@code name}; null: the field is passed on. A name that only a replacement has is
   * passed on if Squid does not know it.
   */
  private @Nullable Rule rule(String name, boolean knownToSquid) {
    AclList own = access.of(name);
    boolean replaced = replacements.containsKey(name.toLowerCase(Locale.ROOT));
    if (own == null && replaced && !knownToSquid) {
      return null;
    }
    AclList group = knownToSquid || access.other() == null ? access.all() : access.other();
    AclList list = own != null ? own : group;
    return list == null
        ? null
        : add(list, own == null ? null : replacements.get(name.toLowerCase(Locale.ROOT)));
  }

  private Rule add(AclList list, byte @Nullable [] replacement) {
    for (Rule one : rules) {
      if (one.access == list && one.replacement == replacement) {
        return one;
      }
    }
    Rule rule = new Rule(rules.size(), list, replacement);
    rules.add(rule);
    return rule;
  }

  private void put(byte[] name, @Nullable Rule rule) {
    int slot = slot(name, 0, name.length);
    while (names[slot] != null) {
      slot = (slot + 1) & (names.length - 1);
    }
    names[slot] = name;
    named[slot] = rule;
  }

  private int slot(byte[] bytes, int start, int length) {
    int hash = length;
    for (int i = start; i < start + length; i++) {
      hash = hash * 31 + Ascii.lower(bytes[i]);
    }
    return (hash ^ hash >>> 15) & (names.length - 1);
  }

  /** Whether the proxy writes the field itself, however its name is spelled. */
  static boolean isWrittenByProxy(String name) {
    return WRITTEN_BY_PROXY.has(FieldName.of(name.replace('_', '-')));
  }

  /** The number of rules. */
  public int count() {
    return rules.size();
  }

  /** The fields that messages get besides their own, in order. */
  public List<AddedField> added() {
    return added;
  }

  /** The rule of field {@code i}; null: it is passed on. Allocates nothing. */
  public @Nullable Rule of(Fields fields, int i) {
    int id = fields.id(i);
    if (id != FieldName.OTHER) {
      return kept.has(id) ? null : known[id];
    }
    byte[] bytes = fields.bytes();
    int start = fields.nameStart(i);
    int length = fields.nameLength(i);
    for (int slot = slot(bytes, start, length); ; slot = (slot + 1) & (names.length - 1)) {
      byte[] name = names[slot];
      if (name == null) {
        return rest;
      }
      if (name.length == length && matches(name, bytes, start)) {
        return named[slot];
      }
    }
  }

  private static boolean matches(byte[] lower, byte[] bytes, int start) {
    for (int i = 0; i < lower.length; i++) {
      if (lower[i] != Ascii.lower(bytes[start + i])) {
        return false;
      }
    }
    return true;
  }

  /** Whether an ACL of a rule needs the addresses of the destination. */
  public boolean needsDestination() {
    return rules.stream().anyMatch(rule -> rule.access.needsDestination())
        || added.stream().anyMatch(field -> field.access().needsDestination());
  }
}
