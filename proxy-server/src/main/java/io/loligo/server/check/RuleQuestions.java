package io.loligo.server.check;

import io.loligo.core.acl.AclTrial;
import io.loligo.core.config.ExaminedConfig;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.check.GivenRequest.Facts;
import io.loligo.server.check.GivenRequest.Unacceptable;
import io.loligo.server.check.ListAnswer.Outcome;
import io.loligo.server.exchange.settings.AccessDirectives;
import io.loligo.server.explain.Question;
import io.loligo.server.json.JsonWriter;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code loligo acl test}: which line of each list decides about a request. Confined to one
 * thread.
 */
public final class RuleQuestions {
  private static final int ALLOWED = 0;
  private static final int DENIED = 1;
  private static final int UNDECIDED = 2;

  private final String title;
  private final List<ListAnswer> answers;

  private RuleQuestions(String title, List<ListAnswer> answers) {
    this.title = title;
    this.answers = answers;
  }

  /**
   * Asks the rules of {@code examined}, whose {@code config} has no errors.
   *
   * @param user who has logged in; empty: nobody; null: not known
   * @param addresses of hosts, by name in lower case
   * @param helpers answers of ACLs, by name: whether they match
   * @param nowMillis the time, since the epoch
   * @throws IllegalArgumentException if the proxy would refuse the request without asking a rule
   */
  public static RuleQuestions ask(
      ExaminedConfig examined,
      ProxyConfig config,
      Question question,
      InetAddress client,
      @Nullable String user,
      Map<String, List<byte[]>> addresses,
      Map<String, Boolean> helpers,
      long nowMillis) {
    HttpPort port = PortDirectives.portFor(config, question.portName(), question.url());
    if (port == null) {
      throw new IllegalArgumentException("no port has the name " + question.portName());
    }
    Facts facts = new Facts(user, addresses, helpers, nowMillis);
    try {
      GivenRequest request = GivenRequest.of(config, port, client, question, facts);
      RequestTrial trial =
          new RequestTrial(config, examined.rules(), config.get(AccessDirectives.HTTP_ACCESS));
      String title =
          request.method()
              + " "
              + request.url()
              + " by "
              + client.getHostAddress()
              + " at "
              + port.name();
      return new RuleQuestions(title, trial.answers(request));
    } catch (Unacceptable e) {
      throw new IllegalArgumentException("refused before any rule is asked: " + e.getMessage(), e);
    }
  }

  /** The report for a reader. */
  public String text() {
    StringBuilder text = new StringBuilder(title).append('\n');
    for (ListAnswer answer : answers) {
      text.append('\n').append(answer.list()).append(": ").append(answer.outcome().words());
      if (answer.byChance()) {
        text.append(" (this time: an ACL of type random was asked)");
      }
      text.append('\n');
      if (!answer.effect().isEmpty()) {
        text.append("  ").append(answer.effect()).append('\n');
      }
      if (answer.outcome() != Outcome.NOT_ASKED) {
        text.append("  ").append(answer.source().isEmpty() ? "" : answer.source() + ": ");
        text.append(answer.rule()).append('\n');
      }
      if (answer.missing() != null) {
        text.append("  needs ").append(answer.missing()).append('\n');
      }
      for (AclTrial one : answer.trials()) {
        text.append("    ").append(one.term()).append(' ').append(one.answer().words());
        text.append('\n');
      }
    }
    return text.toString();
  }

  /** The same as one JSON object. */
  public String json() {
    JsonWriter json = JsonWriter.spaced().beginObject();
    json.member("request", title).name("lists").beginArray();
    for (ListAnswer answer : answers) {
      json.row().beginObject();
      json.member("list", answer.list()).member("outcome", word(answer.outcome()));
      json.member("source", answer.source()).member("rule", answer.rule());
      json.member("needs", answer.missing()).member("by_chance", answer.byChance());
      json.member("effect", answer.effect()).name("acls").beginArray();
      for (AclTrial one : answer.trials()) {
        json.beginObject().member("term", one.term());
        json.member("answer", word(one.answer())).endObject();
      }
      json.endArray().endObject();
    }
    return json.endRows().endArray().endObject() + "\n";
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * 0: {@code http_access} allows the request; 1: it denies it, or asks for a login; 2: unknown.
   */
  public int exitStatus() {
    return switch (answers.get(0).outcome()) {
      case ALLOW -> ALLOWED;
      case DENY, LOGIN -> DENIED;
      default -> UNDECIDED;
    };
  }
}
