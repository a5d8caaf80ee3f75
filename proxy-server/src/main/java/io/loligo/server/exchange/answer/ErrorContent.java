package io.loligo.server.exchange.answer;

import io.loligo.core.acl.AclVerdict;
import io.loligo.core.message.RequestHead;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.pages.BuiltInPage;
import io.loligo.server.exchange.settings.pages.ErrorPages;
import io.loligo.server.exchange.settings.pages.PageLanguage;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of an error in the form and the language that the client prefers: problem details
 * (RFC 9457), a page of {@code error_directory}, or a built-in page. Confined to one thread.
 *
 * @param parts its bytes, in order
 * @param mediaType without parameters
 * @param language its tag; null: not known
 * @param vary the request fields that chose it
 * @param builtIn whether it is the proxy's own, so that it may be restricted
 */
record ErrorContent(
    List<byte[]> parts, String mediaType, @Nullable String language, String vary, boolean builtIn) {
  static final String HTML = "text/html";
  static final String PROBLEM = "application/problem+json";

  /**
   * The content for the client of {@code stream}.
   *
   * @param errorCode Squid's ERR_ name
   * @param reason for the client, in English
   * @param denial the verdict that denies; null: none does
   */
  static ErrorContent of(
      ClientStream stream,
      LoopServices services,
      int status,
      String errorCode,
      String reason,
      @Nullable AclVerdict denial) {
    ErrorPages pages = services.settings.pages;
    RequestHead request = stream.record().request;
    String languages = request == null ? null : request.fields().joined("Accept-Language");
    boolean json =
        request != null && status >= 400 && pages.prefersJson(request.fields().joined("Accept"));
    ErrorPages.Page file = json ? null : pages.page(errorCode, languages);
    PageText facts = new PageText(stream, services, errorCode);
    if (file != null) {
      pages.note(languages, file.language());
      String vary = pages.hasLanguages() ? "Accept, Accept-Language" : "Accept";
      return new ErrorContent(facts.page(file.template()), HTML, file.language(), vary, false);
    }
    PageLanguage language = pages.builtIn(languages);
    pages.note(languages, language.tag());
    BuiltInPage page = language.page(errorCode, status);
    BuiltInText text =
        new BuiltInText(
            facts, language, page, status, reason, pages.explainsDenials() ? denial : null);
    return new ErrorContent(
        json ? text.problem() : text.page(),
        json ? PROBLEM : HTML,
        language.tag(),
        "Accept, Accept-Language",
        true);
  }

  /** The length in bytes. */
  int length() {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    return length;
  }

  /** Writes it; borrows {@code out}. */
  void writeTo(ByteBuf out) {
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
  }
}
