package io.loligo.server.exchange;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.HttpDate;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Method;
import io.loligo.server.explain.Question;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.UrlPattern;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Random requests and responses of all kinds from a seed. There are few URLs, so that requests
 * meet.
 */
final class RandomTraffic {
  private static final int URLS = 40;
  private static final List<String> TAGS = List.of("\"1\"", "\"2\"", "W/\"1\"", "W/\"3\"");
  private static final List<String> VARIES =
      List.of(
          "Accept-Encoding", "Accept-Language", "Cookie, Accept-Encoding", "X-Test", "X-Test", "*");
  private static final List<Integer> STATUSES =
      List.of(200, 200, 200, 200, 200, 200, 203, 204, 301, 302, 404, 404, 410, 500, 503, 599);
  private static final Pattern RANGE = Pattern.compile("Range: bytes=(\\d)-(\\d?)\r\n");
  private static final List<String> KEYS = List.of("a", "b", "c");
  private static final List<String> TARGETED =
      List.of("no-store", "no-cache", "max-age=9, stale-while-revalidate=99", "private");
  private static final List<String> METHODS =
      List.of("POST", "DELETE", "OPTIONS", "PUT", "QUERY", "QUERY", "QUERY", "QUERY");

  private final Random random;

  RandomTraffic(long seed) {
    random = new Random(seed);
  }

  private boolean in(int of) {
    return random.nextInt(of) == 0;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private long seconds() {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> random.nextInt(10);
      case 2 -> random.nextInt(1000);
      default -> random.nextInt(100_000);
    };
  }

  /** Milliseconds until the next request. */
  long pause() {
    return in(3) ? seconds() * 1000 : random.nextInt(3000);
  }

  private static String date(String field, long millis) {
    FieldLines lines = new FieldLines(64);
    HttpDate.append(lines.append(field).append(": "), millis);
    return new String(lines.toBytes(), StandardCharsets.ISO_8859_1);
  }

  Question request(long nowMillis) {
    List<String> lines = new ArrayList<>();
    int fields = random.nextInt(4);
    if (in(3)) {
      fields = 0;
      lines.add(selectingField());
    }
    for (int i = 0; i < fields; i++) {
      String line = requestField(nowMillis);
      boolean again = lines.stream().anyMatch(one -> one.startsWith("Content-Length"));
      if (!again || !line.startsWith("Content-Length")) {
        lines.add(line);
      }
    }
    int url = random.nextInt(URLS);
    String method = in(10) ? (in(2) ? "HEAD" : one(METHODS)) : "GET";
    if (method.equals("OPTIONS")) {
      lines.add("Max-Forwards: " + random.nextInt(2));
    }
    String query = url % 3 == 0 ? "?q=" + random.nextInt(3) + one(List.of("", "&u=1", "&u=2")) : "";
    String content = lines.contains("Content-Length: 3") ? one(List.of("abc", "def")) : "";
    return new Question(
        "http://h" + url % 4 + ".test/" + url + query, method, lines, content, null, null);
  }

  /** A purge of responses that may be stored. */
  Purge purge() {
    return switch (random.nextInt(5)) {
      case 0 -> new Purge.Groups(new long[] {CacheGroups.ofKey(one(KEYS))}, false);
      case 1 -> new Purge.Groups(new long[] {CacheGroups.ofKey(one(KEYS))}, true);
      case 2 -> new Purge.Matching(UrlPattern.of("h" + random.nextInt(4) + ".test", "1"));
      default -> {
        int url = random.nextInt(URLS);
        CacheKey key = CacheKeys.of("http://h" + url % 4 + ".test/" + url);
        yield new Purge.Url(key, in(2));
      }
    };
  }

  private String requestField(long nowMillis) {
    return switch (random.nextInt(13)) {
      case 0, 1, 2, 3, 4 -> selectingField();
      case 5, 6 -> "Cache-Control: " + requestDirective();
      case 7 -> "Pragma: no-cache";
      case 8 -> one(List.of("If-None-Match: ", "If-Match: ")) + one(TAGS);
      case 9 ->
          date(
              one(List.of("If-Modified-Since", "If-Unmodified-Since")),
              nowMillis - seconds() * 1000);
      case 10 ->
          "Range: bytes=" + one(List.of("0-0", "1-", "-1", "5-9", "0-0,2-2", "x", "0-1,1-2"));
      case 11 -> "X-Forwarded-Host: a";
      default -> in(2) ? "Authorization: Basic YTpi" : "Content-Length: " + random.nextInt(2) * 3;
    };
  }

  private String selectingField() {
    return switch (random.nextInt(5)) {
      case 0, 1 -> "Accept-Encoding: " + one(List.of("gzip", "br, gzip", "GZIP", "identity"));
      case 2 -> "Accept-Language: " + one(List.of("en", "de", "de,en"));
      case 3 -> "Cookie: " + one(List.of("a=1", "b=2"));
      default -> "X-Test: " + random.nextInt(2);
    };
  }

  private String requestDirective() {
    return switch (random.nextInt(8)) {
      case 0 -> "no-cache";
      case 1 -> "no-store";
      case 2 -> "max-age=" + seconds();
      case 3 -> "max-stale";
      case 4 -> "max-stale=" + seconds();
      case 5 -> "min-fresh=" + seconds();
      case 6 -> "only-if-cached";
      default -> "stale-if-error=" + seconds() + ", max-stale=1";
    };
  }

  /** The origin's response at {@code nowMillis}; null: none. */
  String answer(OutgoingRequest request, long nowMillis) {
    if (in(20)) {
      return null;
    }
    String asked = new String(request.fieldLines(), StandardCharsets.ISO_8859_1);
    boolean conditional = asked.contains("If-None-Match") || asked.contains("If-Modified-Since");
    int status = conditional && in(2) ? 304 : one(STATUSES);
    List<String> lines = new ArrayList<>();
    Matcher range = RANGE.matcher(asked);
    if (status == 200 && range.find() && !in(4)) {
      int first = Integer.parseInt(range.group(1));
      int last = range.group(2).isEmpty() ? 9 : Integer.parseInt(range.group(2));
      lines.add("Content-Range: bytes " + first + "-" + last + "/10");
      lines.add("Content-Length: " + (last - first + 1));
      lines.add("ETag: " + (in(4) ? one(TAGS) : TAGS.get(0)));
      status = 206;
    }
    if (!in(8)) {
      long skew = in(4) ? seconds() * (in(4) ? 1000 : -1000) : 0;
      lines.add(date("Date", nowMillis + skew));
    }
    int directives = random.nextInt(3);
    for (int i = 0; i < directives; i++) {
      lines.add("Cache-Control: " + responseDirective());
    }
    if (in(4)) {
      lines.add(in(5) ? "Expires: 0" : date("Expires", nowMillis + (seconds() - 100) * 1000));
    }
    if (in(3)) {
      lines.add(date("Last-Modified", nowMillis - seconds() * 1000));
    }
    if (in(2) && status != 206) {
      lines.add("ETag: " + one(TAGS));
    }
    if (in(4)) {
      lines.add("Age: " + (in(5) ? "x" : seconds()));
    }
    if (in(2)) {
      lines.add("Vary: " + one(VARIES));
    }
    if (in(3)) {
      lines.add("xkey: " + one(KEYS));
    }
    if (in(5)) {
      lines.add("CDN-Cache-Control: " + (in(3) ? one(TARGETED) : "max-age=" + seconds()));
    }
    if (in(10)) {
      lines.add("Set-Cookie: a=b");
    }
    if (request.methodId() == Method.POST && in(2)) {
      String path = new String(request.path(), StandardCharsets.ISO_8859_1);
      lines.add("Content-Location: " + (in(4) ? "/other" : path));
    }
    if (in(12)) {
      lines.add("No-Vary-Search: " + one(List.of("params=(\"u\")", "key-order", "params=()")));
    }
    if (in(12)) {
      lines.add("Loligo-Cache-Control: max-age=" + seconds());
    }
    if (status != 204 && status != 304 && status != 206) {
      lines.add(in(3) ? "Transfer-Encoding: chunked" : "Content-Length: 3");
    }
    return "HTTP/1.1 " + status + " \r\n" + String.join("\r\n", lines) + "\r\n\r\n";
  }

  private String responseDirective() {
    return switch (random.nextInt(14)) {
      case 0, 1, 2, 3 -> "max-age=" + seconds();
      case 4 -> "s-maxage=" + seconds();
      case 5 -> "no-cache";
      case 6 -> in(3) ? "no-store" : "max-age=\"" + seconds() + "\"";
      case 7 -> in(3) ? "private" : "public";
      case 8 -> "must-revalidate, max-age=" + seconds();
      case 9 -> "max-age=" + seconds() + ", stale-while-revalidate=" + seconds();
      case 10 -> "stale-if-error=" + seconds();
      case 11 -> "immutable, max-age=1000";
      case 12 -> "public, max-age=" + seconds();
      default -> "must-understand, no-store, max-age=" + seconds();
    };
  }
}
