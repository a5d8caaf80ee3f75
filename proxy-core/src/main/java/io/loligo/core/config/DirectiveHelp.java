package io.loligo.core.config;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the command line says about directives. Immutable; any thread. */
public final class DirectiveHelp {
  private final Directives directives;

  /** Help on {@code directives}. */
  public DirectiveHelp(Directives directives) {
    this.directives = directives;
  }

  /** Form, text, difference and default of the directive of this name or alias; null: unknown. */
  public @Nullable String of(String name) {
    Directive directive = directives.named(name);
    return directive == null ? null : of(directive);
  }

  /** The same for all directives that take effect. */
  public String ofAll() {
    StringBuilder page = new StringBuilder();
    for (Directive directive : directives.all()) {
      if (directive.isUsed()) {
        page.append(of(directive));
      }
    }
    return page.toString();
  }

  /**
   * The name that a misspelt one may stand for: one of {@code others}, else a directive; null: none
   * is near.
   */
  public @Nullable String nearest(String name, List<String> others) {
    String other = Spelling.nearest(name, others);
    return other == null ? Spelling.nearest(name, directives) : other;
  }

  private static String of(Directive directive) {
    StringBuilder page = new StringBuilder();
    page.append(directive.name()).append(' ').append(directive.form()).append('\n');
    if (!directive.text().isEmpty()) {
      page.append("    ").append(directive.text()).append('\n');
    }
    if (!directive.note().isEmpty()) {
      page.append("    ").append(capitalised(directive.note())).append(".\n");
    }
    if (!directive.isUsed()) {
      page.append("    ").append(capitalised(directive.status().words())).append(".\n");
    } else if (!directive.defaultText().isEmpty()) {
      page.append("    Default: ").append(directive.defaultText()).append(".\n");
    }
    return page.toString();
  }

  private static String capitalised(String text) {
    return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
  }
}
