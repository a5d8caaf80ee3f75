package io.loligo.server.exchange.rules;

import io.loligo.core.acl.AclInput;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.fields.AddedField;
import io.loligo.server.exchange.settings.fields.FieldRules;
import io.loligo.server.hook.FieldHook;
import io.loligo.server.hook.HookFailure;
import io.loligo.server.hook.HookedRequest;
import io.loligo.server.hook.Hooks;
import io.loligo.server.record.ExchangeRecord;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies {@link FieldRules}, and then the hook of an application, to the field lines of messages,
 * which are final but for framing and the fields of the connection. Each list is evaluated at most
 * once for a message. Allocates nothing, except for values with codes and for a hook. Confined to
 * one event loop.
 */
public final class FieldFilter {
  private static final byte UNKNOWN = 0;
  private static final byte ALLOWED = 1;
  private static final byte DENIED = 2;

  /** Null: there are none. */
  private final @Nullable FieldRules rules;

  /** Null: there is none. */
  private final @Nullable FieldHook hook;

  private final byte[] verdicts;
  private final FieldLines before = new FieldLines(1024);
  private final FieldLines after = new FieldLines(1024);
  private final Fields fields = new Fields(32);
  private final OutgoingHead head = new OutgoingHead();

  private FieldFilter(@Nullable FieldRules rules, @Nullable FieldHook hook) {
    this.rules = rules;
    this.hook = hook;
    verdicts = new byte[rules == null ? 0 : rules.count()];
  }

  /** A filter by {@code rules} and {@code hook}; null if there is neither. */
  public static @Nullable FieldFilter of(@Nullable FieldRules rules, @Nullable FieldHook hook) {
    return rules == null && hook == null ? null : new FieldFilter(rules, hook);
  }

  /**
   * Applies the rules to the lines of {@code request} that are sent on, in place. The hook does not
   * see a CONNECT.
   *
   * @throws HookFailure if the hook fails
   */
  public void request(Request request, FieldLines lines) {
    if (rules != null) {
      before.clear().append(lines.bytes(), 0, lines.length());
      lines.clear();
      filter(request, request.isOfClient() ? request.record() : null, 0, lines);
    }
    if (hook != null && request.head().methodId() != Method.CONNECT) {
      Hooks.edit(
          hook, new HookedRequest(request.head(), request.target(), request.client()), 0, lines);
    }
  }

  /**
   * Applies the rules to the final head of a response.
   *
   * @param input the request, borrowed
   * @param full borrowed, with its lines and block
   * @param toHead whether the response is one to HEAD
   * @return the head to send instead, with the same content; valid until the next call
   * @throws HookFailure if the hook fails
   */
  public OutgoingHead reply(
      AclInput input, ExchangeRecord record, OutgoingHead full, boolean toHead) {
    before.clear().append(full.lines().bytes(), 0, full.lines().length());
    ByteBuf block = full.block();
    // the empty line stays in the block, and the content behind it
    int moved = block == null ? 0 : Math.max(0, full.blockHeadBytes(toHead) - 2);
    if (block != null) {
      before.append(block, full.index(), moved);
    }
    filter(input, record, full.status(), after.clear());
    if (hook != null) {
      HookedRequest asked = new HookedRequest(record.request, record.target, record.client);
      Hooks.edit(hook, asked, full.status(), after);
    }
    return head.begin(full.status(), after)
        .block(block, full.index() + moved, full.length() - moved)
        .content(full.contentLength(), full.last());
  }

  /** Applies the rules to the lines of an interim response, in place. */
  public void interim(AclInput input, ExchangeRecord record, int status, FieldLines lines) {
    before.clear().append(lines.bytes(), 0, lines.length());
    filter(input, record, status, lines.clear());
  }

  /**
   * The trailers that the rules let pass. Replacements and additions are for heads only.
   *
   * @param trailers borrowed; the result shares its bytes
   */
  public Fields trailers(AclInput input, Fields trailers) {
    Arrays.fill(verdicts, UNKNOWN);
    return trailers.where(
        i -> {
          FieldRules.Rule rule = rules == null ? null : rules.of(trailers, i);
          return rule == null || isAllowed(rule, input);
        });
  }

  private void filter(
      AclInput input, @Nullable ExchangeRecord record, int status, FieldLines into) {
    fields.clear(before.bytes());
    StoredFields.index(before.bytes(), 0, before.length(), fields);
    Arrays.fill(verdicts, UNKNOWN);
    show(input, fields, status);
    try {
      for (int i = 0; i < fields.count(); i++) {
        FieldRules.Rule rule = rules == null ? null : rules.of(fields, i);
        if (rule == null || isAllowed(rule, input)) {
          into.add(fields, i);
        } else if (rule.replacement() != null) {
          int name = fields.nameStart(i);
          into.append(fields.bytes(), name, name + fields.nameLength(i)).append(": ");
          into.append(rule.replacement(), 0, rule.replacement().length).endLine();
        }
      }
      List<AddedField> added = rules == null ? List.of() : rules.added();
      for (int i = 0; i < added.size(); i++) {
        if (added.get(i).access().evaluate(input).allowed()) {
          added.get(i).addTo(into, record);
        }
      }
    } finally {
      hide(input, status);
    }
  }

  /** ACLs about the response ask about the one that is filtered. */
  static void show(AclInput input, Fields fields, int status) {
    if (status > 0 && input instanceof Request request) {
      request.reply(fields, status);
    } else if (input instanceof UnreadRequest unread) {
      unread.reply(fields, status);
    }
  }

  static void hide(AclInput input, int status) {
    if (status > 0 && input instanceof Request request) {
      request.forgetReply();
    }
  }

  /** A list that cannot be decided denies. */
  private boolean isAllowed(FieldRules.Rule rule, AclInput input) {
    byte known = verdicts[rule.number()];
    if (known == UNKNOWN) {
      known = rule.access().evaluate(input).allowed() ? ALLOWED : DENIED;
      verdicts[rule.number()] = known;
    }
    return known == ALLOWED;
  }
}
