package io.loligo.server.exchange.settings.fields;

import io.loligo.core.config.Feature;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Setting;
import java.util.List;
import java.util.Map;

/** Directives that filter, replace and add fields of messages. Immutable. */
public final class FieldDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Fields");

  private static final String WRITTEN_BY_PROXY =
      "Host and the fields of framing and of the connection are written by the proxy itself and"
          + " stay";

  private static final String ADDED =
      "a value is cut after "
          + AddedField.MAX_VALUE_BYTES
          + " bytes; codes that Squid fills later, such as %rm, have their values already";

  /** {@code request_header_access}: which fields of requests are sent on. */
  public static final Setting<FieldAccess> REQUEST_ACCESS =
      FEATURE
          .lines(
              "request_header_access",
              "NAME|All|Other allow|deny [!]ACL...",
              reading -> new FieldAccessLines(reading, RuleScope.REQUEST))
          .difference(WRITTEN_BY_PROXY + "; so does the login= of a cache_peer")
          .text(
              "Which fields of requests are sent to origins and parents. The lines of one NAME are"
                  + " a list: the first line whose ACLs match decides, and if none matches, the"
                  + " opposite of the last line. Other is for fields that Squid does not know and"
                  + " that have no lines; All is for every field without lines. The proxy's own"
                  + " fields are judged too, such as Via and X-Forwarded-For.");

  /** {@code request_header_replace}: values in the place of denied ones. */
  public static final Setting<Map<String, byte[]>> REQUEST_REPLACE =
      FEATURE
          .lines("request_header_replace", "NAME VALUE", FieldReplaceLines::new)
          .alias("header_replace")
          .text(
              "The value of a field that request_header_access denies, instead of its removal."
                  + " VALUE is the rest of the line. A field that is absent is not added.");

  /** {@code request_header_add}: fields that requests get besides their own. */
  public static final Setting<List<AddedField>> REQUEST_ADD =
      FEATURE
          .lines(
              "request_header_add",
              "NAME VALUE [[!]ACL...]",
              reading -> new FieldAddLines(reading, RuleScope.REQUEST))
          .difference(ADDED)
          .text(
              "A field that requests get if all ACLs match, besides fields of the same name and"
                  + " after all other rules. In a quoted VALUE the % codes of logformat hold;"
                  + " without quotes it is sent as it is.");

  /** {@code reply_header_access}: which fields of responses are sent to clients. */
  public static final Setting<FieldAccess> REPLY_ACCESS =
      FEATURE
          .lines(
              "reply_header_access",
              "NAME|All|Other allow|deny [!]ACL...",
              reading -> new FieldAccessLines(reading, RuleScope.RESPONSE))
          .difference(
              "the fields of framing and of the connection and Content-Range stay; ACLs about the"
                  + " response hold on misses too")
          .text(
              "Which fields of responses are sent to clients, by the rules of"
                  + " request_header_access. The stored response stays unchanged. Error pages of"
                  + " the proxy are judged too; the response to CONNECT is not.");

  /** {@code reply_header_replace}: values in the place of denied ones. */
  public static final Setting<Map<String, byte[]>> REPLY_REPLACE =
      FEATURE
          .lines("reply_header_replace", "NAME VALUE", FieldReplaceLines::new)
          .text(
              "The value of a field that reply_header_access denies, instead of its removal."
                  + " VALUE is the rest of the line. A field that is absent is not added.");

  /** {@code reply_header_add}: fields that responses get besides their own. */
  public static final Setting<List<AddedField>> REPLY_ADD =
      FEATURE
          .lines(
              "reply_header_add",
              "NAME VALUE [[!]ACL...]",
              reading -> new FieldAddLines(reading, RuleScope.RESPONSE))
          .difference(ADDED)
          .text(
              "A field that responses to clients get if all ACLs match, as with"
                  + " request_header_add.");

  private FieldDirectives() {}
}
