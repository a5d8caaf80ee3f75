package io.loligo.server.exchange.settings.pages;

import io.loligo.server.exchange.settings.pages.Failing.Party;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The built-in pages in one language. Each page is made when it is first needed, from texts that
 * were read before: few failures ever happen, and a start should not wait for the others.
 * Thread-safe: any thread.
 */
public final class PageLanguage {
  /** Codes of facts in texts: the name of the server, and that of this proxy. */
  static final String TEXT_CODES = "Hh";

  /** Codes of facts in pages. */
  private static final String PAGE_CODES = TEXT_CODES + "klvy";

  private static final Pattern PLACE = Pattern.compile("\\{([a-z]+)}");
  private static final Pattern STEPS = Pattern.compile(" *\\| *");

  private final String tag;
  private final Properties texts;
  private final String html;
  private final AtomicReferenceArray<@Nullable BuiltInPage> pages =
      new AtomicReferenceArray<>(Failing.values().length);

  /**
   * The pages with these texts.
   *
   * @param tag of the language
   * @param page the HTML of all pages, with places such as {@code {title}}
   */
  PageLanguage(String tag, Properties texts, String page) {
    this.tag = tag;
    this.texts = texts;
    html = page;
  }

  /** Its tag, such as {@code de}. */
  public String tag() {
    return tag;
  }

  /**
   * The page of a failure.
   *
   * @param errorCode Squid's ERR_ name; one that only {@code deny_info} knows is a denial
   */
  public BuiltInPage page(String errorCode, int status) {
    return page(Failing.of(errorCode, status));
  }

  /** The page of {@code failing}. */
  BuiltInPage page(Failing failing) {
    BuiltInPage page = pages.get(failing.ordinal());
    if (page == null) {
      page = made(failing);
      pages.set(failing.ordinal(), page); // threads that make it at a time make the same
    }
    return page;
  }

  /** The word before a fact, such as {@code label.url}. */
  public String label(String name) {
    return text("label." + name);
  }

  private String text(String key) {
    String text = texts.getProperty(key);
    if (text == null) {
      throw new IllegalStateException(tag + ".properties lacks " + key);
    }
    return text;
  }

  private BuiltInPage made(Failing failing) {
    String key = failing.key();
    String title = text(key + ".title");
    String what = text(key + ".text");
    String who =
        texts.containsKey(key + ".who")
            ? text(key + ".who")
            : text("who." + failing.party().token());
    List<String> steps = List.of(STEPS.split(text(key + ".next"), -1));
    String filled =
        filled(
            html,
            Map.of(
                "language", tag,
                "title", HtmlText.escaped(title),
                "text", HtmlText.escaped(what),
                "way", way(failing.party()),
                "responsible", HtmlText.escaped(text("responsible")),
                "who", HtmlText.escaped(who),
                "next", HtmlText.escaped(text("next")),
                "steps",
                    steps.stream()
                        .map(step -> "<li>" + HtmlText.escaped(step) + "</li>")
                        .collect(Collectors.joining()),
                "details", HtmlText.escaped(text("details"))));
    return new BuiltInPage(
        failing,
        title,
        PageTemplate.of(what, TEXT_CODES),
        PageTemplate.of(who, TEXT_CODES),
        steps.stream().map(step -> PageTemplate.of(step, TEXT_CODES)).toList(),
        PageTemplate.of(filled, PAGE_CODES));
  }

  private static String filled(String page, Map<String, String> texts) {
    return PLACE
        .matcher(page)
        .replaceAll(place -> Matcher.quoteReplacement(texts.getOrDefault(place.group(1), "")));
  }

  /** The way from the client to the origin, up to the party that is responsible. */
  private String way(Party responsible) {
    StringBuilder way = new StringBuilder("<ol class=\"way\" aria-hidden=\"true\">");
    for (Party party : Party.values()) {
      int order = party.compareTo(responsible);
      String look = order < 0 ? "good" : order == 0 ? "bad" : "off";
      String mark = order < 0 ? "\u2713" : order == 0 ? "!" : "";
      String name = party == Party.CLIENT ? "you" : party.name().toLowerCase(Locale.ROOT);
      way.append("<li class=\"").append(look).append("\"><i>").append(mark).append("</i>");
      way.append(HtmlText.escaped(text(name))).append("</li>");
    }
    return way.append("</ol>\n").toString();
  }
}
