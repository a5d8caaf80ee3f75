package io.loligo.core.fuzz;

import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Any target that is accepted has one effective URI, and that URI, asked for in absolute-form, is
 * the same resource under the same key.
 */
final class TargetFuzz {
  private TargetFuzz() {}

  static void test(byte[] bytes) {
    RequestTarget target = new RequestTarget();
    if (!resolves(bytes, target) || target.form() == RequestTarget.Form.ASTERISK) {
      return;
    }
    String url = target.url();
    String host = target.host();
    FuzzValues.require(url.chars().allMatch(one -> one > ' ' && one != 0x7f), "visible: " + url);
    FuzzValues.require(url.indexOf('#') < 0, "fragment: " + url);
    FuzzValues.require(host.equals(host.toLowerCase(Locale.ROOT)), "case: " + host);
    FuzzValues.require(!host.isEmpty() && host.indexOf('@') < 0, "host: " + host);
    FuzzValues.require(target.port() >= 0 && target.port() < 65_536, "port " + target.port());
    long[] key = key(target);
    RequestTarget again = new RequestTarget();
    FuzzValues.require(resolves(url.getBytes(StandardCharsets.ISO_8859_1), again), "again: " + url);
    FuzzValues.require(url.equals(again.url()), url + " is " + again.url());
    FuzzValues.require(Arrays.equals(key, key(again)), "key of " + url);
  }

  private static boolean resolves(byte[] bytes, RequestTarget target) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    byte[] request =
        ("GET " + text + " HTTP/1.1\r\nHost: Host.example:8080\r\n\r\n")
            .getBytes(StandardCharsets.ISO_8859_1);
    RequestHead head = new RequestHead();
    Http1RequestParser parser = new Http1RequestParser(ParseLimits.DEFAULT);
    return parser.parse(request, request.length, head) == Http1RequestParser.Result.COMPLETE
        && target.resolve(head, "http", null, true) == null;
  }

  private static long[] key(RequestTarget target) {
    KeyProbe probe = CacheKeys.seal(new KeyProbe(), target);
    return new long[] {probe.high(), probe.low()};
  }
}
