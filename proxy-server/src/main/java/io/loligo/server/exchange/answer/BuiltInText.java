package io.loligo.server.exchange.answer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.loligo.core.acl.AclVerdict;
import io.loligo.server.exchange.settings.pages.BuiltInPage;
import io.loligo.server.exchange.settings.pages.Failing;
import io.loligo.server.exchange.settings.pages.HtmlText;
import io.loligo.server.exchange.settings.pages.PageLanguage;
import io.loligo.server.exchange.settings.pages.PageTemplate;
import io.loligo.server.json.JsonWriter;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a request in a built-in page, or as problem details (RFC 9457). All facts are
 * escaped. Confined to the client's event loop.
 */
final class BuiltInText {
  /** Most characters of a URL on a page. */
  private static final int MAX_URL_CHARS = 500;

  /** The value of {@code cache_mgr} that names nobody. */
  private static final String NOBODY = "webmaster";

  private static final Pattern MAIL = Pattern.compile("[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+");

  private final PageText facts;
  private final PageLanguage language;
  private final BuiltInPage page;
  private final int status;
  private final String reason;
  private final @Nullable AclVerdict denial;

  /**
   * @param reason for the client, in English
   * @param denial the verdict that denies, where clients may know it; null otherwise
   */
  BuiltInText(
      PageText facts,
      PageLanguage language,
      BuiltInPage page,
      int status,
      String reason,
      @Nullable AclVerdict denial) {
    this.facts = facts;
    this.language = language;
    this.page = page;
    this.status = status;
    this.denial = denial;
    String told = page.failing() == Failing.ACCESS_DENIED ? facts.helperMessage() : null;
    this.reason = told == null ? reason : told;
  }

  /** The page as HTML. */
  List<byte[]> page() {
    return facts.filled(page.html(), this::fact);
  }

  private byte[] fact(char code) {
    return switch (code) {
      case 'k' -> (status + " " + HtmlText.escaped(facts.errorCode())).getBytes(UTF_8);
      case 'l' -> facts.style();
      case 'v' -> rows().getBytes(UTF_8);
      case 'y' -> facts.builtInStyle();
      default -> HtmlText.escaped(facts.plain(code)).getBytes(UTF_8);
    };
  }

  private String rows() {
    StringBuilder rows = new StringBuilder(512);
    row("id", facts.requestId(), rows);
    row("time", facts.plain('T'), rows);
    String url = facts.knownUrl();
    row(
        "url",
        url == null || url.length() <= MAX_URL_CHARS ? url : url.substring(0, MAX_URL_CHARS) + "…",
        rows);
    begin("reason", rows);
    rows.append("<dd lang=\"en\">").append(HtmlText.escaped(reason)).append("</dd>");
    if (denial != null) {
      row("rule", denial.rule(), rows);
      row("source", denial.source(), rows);
    }
    row("proxy", facts.plain('h'), rows);
    String contact = facts.plain('w');
    if (MAIL.matcher(contact).matches()) {
      begin("contact", rows);
      rows.append("<dd><a href=\"mailto:").append(contact).append("\">");
      rows.append(contact).append("</a></dd>");
    } else if (!contact.equals(NOBODY)) {
      row("contact", contact, rows);
    }
    return rows.toString();
  }

  private void begin(String label, StringBuilder rows) {
    rows.append("\n<dt>").append(HtmlText.escaped(language.label(label))).append("</dt>");
  }

  private void row(String label, @Nullable String value, StringBuilder rows) {
    if (value != null && !value.isEmpty()) {
      begin(label, rows);
      rows.append("<dd>").append(HtmlText.escaped(value)).append("</dd>");
    }
  }

  /** The problem details. */
  List<byte[]> problem() {
    JsonWriter json = JsonWriter.compact();
    json.beginObject();
    json.member("type", "about:blank");
    json.member("title", page.title());
    json.member("status", status);
    json.member("detail", text(page.text()));
    String instance = facts.urlReference();
    if (instance != null) {
      json.member("instance", instance);
    }
    json.member("error", facts.errorCode());
    json.member("reason", reason);
    json.member("responsible", page.failing().party().token());
    json.member("responsibleText", text(page.who()));
    json.name("nextSteps").beginArray();
    page.steps().forEach(step -> json.value(text(step)));
    json.endArray();
    String id = facts.requestId();
    if (id != null) {
      json.member("requestId", id);
    }
    json.member("proxy", facts.plain('h'));
    if (denial != null) {
      json.member("rule", denial.rule());
      json.member("source", denial.source());
    }
    return List.of(json.endObject().toString().getBytes(UTF_8));
  }

  private String text(PageTemplate template) {
    StringBuilder text = new StringBuilder(128);
    facts
        .filled(template, code -> facts.plain(code).getBytes(UTF_8))
        .forEach(part -> text.append(new String(part, UTF_8)));
    return text.toString();
  }
}
