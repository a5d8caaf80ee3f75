package io.loligo.server.adapt;

import java.util.StringJoiner;

/**
 * The answers that a service may give to one message, besides another message. Immutable.
 *
 * @param preview bytes of the preview; -1: none
 * @param unchanged whether the message may be left as it is (204) outside of a preview
 * @param partial whether the rest of the content may be left as it is (206): in a preview, and
 *     outside of it where the whole message may
 */
record Offer(int preview, boolean unchanged, boolean partial) {
  /** The offer for {@code message} to a service with {@code options}. */
  static Offer of(IcapSettings settings, IcapOptions options, IcapMessage message) {
    int preview = preview(settings, options, message);
    long length = message.contentLength();
    boolean fits = length >= 0 && length <= IcapSettings.KEPT_BYTES;
    boolean unchanged = !message.hasContent() || fits;
    boolean partial = settings.partial() && options.allowsPartial() && message.hasContent();
    return new Offer(preview, unchanged, partial && (preview >= 0 || unchanged));
  }

  private static int preview(IcapSettings settings, IcapOptions options, IcapMessage message) {
    if (!settings.previews() || options.transfer(message.path()) != IcapOptions.Transfer.PREVIEW) {
      return -1;
    }
    int wanted = options.preview() >= 0 ? options.preview() : settings.previewBytes();
    if (wanted < 0) {
      return -1;
    }
    long most = Math.min(wanted, IcapSettings.KEPT_BYTES);
    long length = message.contentLength();
    return (int) (message.hasContent() ? (length < 0 ? most : Math.min(most, length)) : 0);
  }

  /** The value of Allow; empty: none. */
  String allow() {
    StringJoiner statuses = new StringJoiner(", ");
    if (unchanged) {
      statuses.add("204");
    }
    if (partial) {
      statuses.add("206");
    }
    return statuses.toString();
  }
}
