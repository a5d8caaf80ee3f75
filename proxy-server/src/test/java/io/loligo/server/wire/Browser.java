package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.accesslog.StrictJson;
import io.loligo.server.json.JsonWriter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Chromium without a window and one page of it, driven by its DevTools protocol. Closing ends it.
 * Confined to one thread. Skipped, visibly, where Chromium is absent.
 */
final class Browser implements AutoCloseable {
  private static final Pattern ENDPOINT = Pattern.compile("DevTools listening on (ws://\\S+)");

  private final ProxyProcess process;
  private final Replies replies = new Replies();
  private final WebSocket socket;
  private final AtomicInteger lastId = new AtomicInteger();
  private final String session;

  private Browser(ProxyProcess process, String endpoint) throws Exception {
    this.process = process;
    socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .buildAsync(URI.create(endpoint), replies)
            .get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
    String target =
        call("Target.createTarget", null, "url", "about:blank").get("targetId").toString();
    session =
        call("Target.attachToTarget", null, "targetId", target, "flatten", true)
            .get("sessionId")
            .toString();
    for (String domain : List.of("Runtime", "Log", "Page")) {
      call(domain + ".enable", session);
    }
  }

  /** Starts it, with a profile of its own in {@code dir}. */
  static Browser start(Path dir) throws Exception {
    String program = InstalledProgram.path("chromium-headless-shell", "chromium");
    ProxyProcess process =
        ProxyProcess.start(
            dir,
            program,
            "--headless",
            "--no-sandbox", // root may not use it; the pages are our own
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--hide-scrollbars",
            "--user-data-dir=" + dir.resolve("browser"),
            "--remote-debugging-port=0",
            "about:blank");
    process.awaitOutput(ENDPOINT.pattern());
    Matcher endpoint = ENDPOINT.matcher(process.output());
    assertThat(endpoint.find()).isTrue();
    return new Browser(process, endpoint.group(1));
  }

  /** Messages of the browser. Its methods run on a thread of the client. */
  private static final class Replies implements WebSocket.Listener {
    private final Map<Integer, CompletableFuture<Map<String, Object>>> pending =
        new ConcurrentHashMap<>();
    private final List<String> problems = Collections.synchronizedList(new ArrayList<>());
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean isLast) {
      text.append(part);
      if (isLast) {
        took(text.toString());
        text.setLength(0);
      }
      from.request(1);
      return null;
    }

    private void took(String message) {
      Map<String, Object> fields = StrictJson.object(message.getBytes(UTF_8));
      if (fields.get("id") instanceof Number id) {
        pending.remove(id.intValue()).complete(fields);
      } else if (isProblem(String.valueOf(fields.get("method")), message)) {
        problems.add(message);
      }
    }

    private static boolean isProblem(String method, String message) {
      return switch (method) {
        case "Runtime.exceptionThrown", "Log.entryAdded" -> true;
        case "Runtime.consoleAPICalled" -> message.contains("error") || message.contains("warn");
        default -> false;
      };
    }
  }

  /** Exceptions, errors of the console, violations of the policy, so far. */
  List<String> problems() {
    return List.copyOf(replies.problems);
  }

  /** Sets the size of the window and the colour scheme, {@code light} or {@code dark}. */
  void show(int width, int height, String scheme) throws Exception {
    call(
        "Emulation.setDeviceMetricsOverride",
        session,
        "width",
        width,
        "height",
        height,
        "deviceScaleFactor",
        1,
        "mobile",
        false);
    call(
        "Emulation.setEmulatedMedia",
        session,
        "features",
        List.of(Map.of("name", "prefers-color-scheme", "value", scheme)));
  }

  /** Opens a page. */
  void open(String url) throws Exception {
    Map<String, Object> opened = call("Page.navigate", session, "url", url);
    assertThat(opened).doesNotContainKey("errorText");
  }

  /** Leaves the page, and forgets its problems. */
  void leave() throws Exception {
    open("about:blank");
    await("document.readyState === 'complete' && location.href === 'about:blank'");
    replies.problems.clear();
  }

  /** The value of an expression, also one that is promised, as text. */
  String value(String expression) throws Exception {
    Map<String, Object> answer =
        call(
            "Runtime.evaluate",
            session,
            "expression",
            expression,
            "awaitPromise",
            true,
            "returnByValue",
            true);
    assertThat(answer).as(expression).doesNotContainKey("exceptionDetails");
    return String.valueOf(((Map<?, ?>) answer.get("result")).get("value"));
  }

  /** Returns when a condition about the document is true: it is looked at after each change. */
  void await(String condition) throws Exception {
    String told =
        value(
            """
            new Promise(done => {
              const look = () => { try { return (CONDITION); } catch { return false; } };
              const end = setTimeout(() => done('no: ' + document.body?.innerText), 20000);
              const check = () => look() && (clearTimeout(end), done('yes'));
              new MutationObserver(check).observe(document,
                  { subtree: true, childList: true, characterData: true, attributes: true });
              check();
            })\
            """
                .replace("CONDITION", condition));
    assertThat(told).as(condition).isEqualTo("yes");
  }

  /** Presses the tabulator key. */
  void tab() throws Exception {
    for (String type : List.of("keyDown", "keyUp")) {
      call(
          "Input.dispatchKeyEvent",
          session,
          "type",
          type,
          "key",
          "Tab",
          "code",
          "Tab",
          "windowsVirtualKeyCode",
          9);
    }
  }

  /** A picture of the whole page, as PNG. */
  byte[] picture() throws Exception {
    Map<String, Object> answer =
        call("Page.captureScreenshot", session, "format", "png", "captureBeyondViewport", true);
    return Base64.getDecoder().decode(answer.get("data").toString());
  }

  @SuppressWarnings("unchecked") // names in JSON are strings
  private Map<String, Object> call(String method, String inSession, Object... parameters)
      throws Exception {
    int id = lastId.incrementAndGet();
    JsonWriter json = JsonWriter.compact().beginObject().member("id", id).member("method", method);
    if (inSession != null) {
      json.member("sessionId", inSession);
    }
    json.name("params").beginObject();
    for (int i = 0; i < parameters.length; i += 2) {
      add(json.name(parameters[i].toString()), parameters[i + 1]);
    }
    json.endObject().endObject();
    CompletableFuture<Map<String, Object>> reply = new CompletableFuture<>();
    replies.pending.put(id, reply);
    socket.sendText(json.toString(), true).get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
    Map<String, Object> answer = reply.get(2L * RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
    assertThat(answer).as(method).containsKey("result");
    return (Map<String, Object>) answer.get("result");
  }

  private static void add(JsonWriter json, Object value) {
    if (value instanceof Integer number) {
      json.value(number.longValue());
    } else if (value instanceof Boolean flag) {
      json.value(flag.booleanValue());
    } else if (value instanceof List<?> list) {
      json.beginArray();
      list.forEach(one -> add(json, one));
      json.endArray();
    } else if (value instanceof Map<?, ?> map) {
      json.beginObject();
      map.forEach((name, one) -> add(json.name(name.toString()), one));
      json.endObject();
    } else {
      json.value(value.toString());
    }
  }

  @Override
  public void close() throws IOException {
    socket.abort();
    // the program may be a script, whose end is not that of the browser
    List<ProcessHandle> all = process.process().descendants().toList();
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(one -> one.onExit().join());
    process.close();
  }
}
