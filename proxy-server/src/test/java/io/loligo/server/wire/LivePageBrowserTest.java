package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.loligo.server.history.HistoryRecorder;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The live page of the admin port in Chromium: its numbers are those of {@code /metrics}, its
 * controls work, it obeys its own policy, and axe finds nothing that keeps people out. {@code
 * -Dloligo.pictures=FOLDER} keeps pictures.
 */
class LivePageBrowserTest extends WireTest {
  private static final int HISTORY_BYTES = 2 << 20;
  private static final int WIDE = 1280;
  private static final int NARROW = 390;
  private static final int HEIGHT = 900;

  /** An answer of {@code /whatif}: a test sends too few requests for a curve. */
  private static final String WHAT_IF =
      """
      {"samplingSince": "2026-01-01T00:00:00Z", "sampledRequests": 1000, "disk": null, "memory": {
        "text": "doubling cache_mem: +6.1 points of hit ratio; halving: -5.0",
        "sizeBytes": 1048576, "hitRatio": 0.5, "byteHitRatio": 0.4,
        "measuredHitRatio": 0.51, "measuredByteHitRatio": 0.41,
        "halved": {"sizeBytes": 524288, "hitRatioPoints": -5, "byteHitRatioPoints": -4},
        "doubled": {"sizeBytes": 2097152, "hitRatioPoints": 6.1, "byteHitRatioPoints": 5},
        "curve": [{"sizeBytes": 524288, "hitRatio": 0.45, "byteHitRatio": 0.36},
                  {"sizeBytes": 1048576, "hitRatio": 0.5, "byteHitRatio": 0.4},
                  {"sizeBytes": 2097152, "hitRatio": 0.561, "byteHitRatio": 0.45}]}}\
      """;

  /** An answer of {@code /cluster}: one proxy alone has no peer that fails. */
  private static final String CLUSTER =
      """
      {"cluster": "<b>web</b>", "mode": "share", "node": "n1", "view": 7, "view_changes": 4,
        "members": 3, "configured": 4, "trusted": false,
        "purges": {"published": 1234, "received": 5, "lag": 17, "revalidations": 1},
        "drained": true, "behind": true,
        "share": {"peer_requests": 1000000, "peer_failures": 3, "fall_backs": 2,
                  "fall_backs_refused": 0, "ejections": 1, "copies": 12, "copy_bytes": 2097152,
                  "acknowledgement_p50_us": 310, "acknowledgement_p99_us": 2500},
        "nodes": [
          {"name": "10.0.0.1:7800", "address": "10.0.0.1:7800", "weight": 100, "draining": true,
           "node": "n1", "self": true, "keys_percent": 0, "asked": true},
          {"name": "10.0.0.2:7800", "address": "10.0.0.2:7800", "weight": 100, "draining": false,
           "node": "n2", "self": false, "keys_percent": 33.3333, "asked": true},
          {"name": "10.0.0.3:7800", "address": "10.0.0.3:7800", "weight": 200, "draining": false,
           "node": "n3", "self": false, "keys_percent": 66.6667, "asked": false}]}\
      """;

  /** An answer of {@code /lint} with a long text and a long field. */
  private static final String LINT =
      """
      {"origins": [{"origin": "www.example.com:80", "findings": [
        {"cause": "no stale-while-revalidate", "requests": 3843, "bytes": 105722820,
         "field": "Cache-Control: stale-while-revalidate=60",
         "text": "Clients wait for validations of expired responses: the origin may allow others."}
      ]}]}\
      """;

  /** Rows of a table before all are wanted. */
  private static final int FIRST_ROWS = 10;

  private static final int MOST_STOPS = 300;

  /** The element with the focus, in words; it is remembered. */
  private static final String STOP =
      """
      (() => {
        window.stops ??= [];
        window.missed = () => [...document.querySelectorAll('a, button, input, select, textarea')].filter(
          one => one.checkVisibility() && !stops.includes(one) && !(one.type === 'radio' && !one.checked));
        const now = document.activeElement;
        if (now === document.body) {
          return 'end';
        }
        const before = stops.at(-1);
        stops.push(now);
        const ring = getComputedStyle(now.type === 'radio' ? now.nextElementSibling : now);
        return stops.length + ' ' + now.outerHTML.slice(0, 60)
          + (before && !(before.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING) ? ' out of order' : '')
          + (ring.outlineStyle === 'none' ? ' no outline' : '');
      })()\
      """;

  @TempDir static Path profile;

  /** One for all tests, since its start takes a second; null before the first. */
  private static Browser browser;

  private HistoryRecorder recorder;

  private void start(String... lines) throws Exception {
    startProxy(lines);
    recorder = proxy.keepHistory(HISTORY_BYTES, null);
    recorder.start().get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** One miss and three hits. */
  private void traffic() throws Exception {
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000");
    for (int i = 0; i < 4; i++) {
      get("/a");
    }
    // the last of them is counted when the loop has answered the next one
    exchange("OPTIONS", "/a", "Max-Forwards: 0");
    recorder.sample();
  }

  private void open(int width, String scheme) throws Exception {
    open(width, scheme, proxy.adminPort());
    browser.await("document.querySelector('#config-table th[scope=row]')");
  }

  private void open(int width, String scheme, int port) throws Exception {
    if (browser == null) {
      browser = Browser.start(profile);
    }
    browser.show(width, HEIGHT, scheme);
    browser.open("http://127.0.0.1:" + port + "/");
    browser.await("Number(document.documentElement.dataset.events) >= 2");
    browser.await("document.querySelector('.plot[aria-label]')");
  }

  @AfterEach
  void leavePage() throws Exception {
    if (browser != null) {
      browser.leave();
    }
  }

  @AfterAll
  static void closeBrowser() throws Exception {
    if (browser != null) {
      browser.close();
      browser = null;
    }
  }

  private String metrics() throws Exception {
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      String head = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      return client.send(head).responseTo("GET").text();
    }
  }

  /** The value of a metric with these labels; 0: there is none. */
  private static double metric(String metrics, String name) {
    Matcher line = Pattern.compile("(?m)^" + Pattern.quote(name) + " (\\S+)$").matcher(metrics);
    return line.find() ? Double.parseDouble(line.group(1)) : 0;
  }

  /** The least bound of the histogram that {@code count} memory hits did not exceed. */
  private static double boundSeconds(String metrics, int count) {
    Matcher line =
        Pattern.compile(
                "(?m)^loligo_stage_duration_seconds_bucket\\{class=\"memory_hit\",protocol=\"1.1\","
                    + "stage=\"total\",le=\"([0-9.E-]+)\"\\} "
                    + count
                    + "$")
            .matcher(metrics);
    assertThat(line.find()).as(metrics).isTrue();
    return Double.parseDouble(line.group(1));
  }

  /** The exact number in a column of the row of a table that begins so. */
  private double cell(String table, String row, int column) throws Exception {
    return Double.parseDouble(
        browser.value(
            "[...document.querySelectorAll('#TABLE tbody tr')].find(row => row.cells[0].textContent === 'ROW')"
                    .replace("TABLE", table)
                    .replace("ROW", row)
                + "?.cells["
                + column
                + "].querySelector('data').value ?? -1"));
  }

  private double figure(String id) throws Exception {
    return Double.parseDouble(browser.value("document.getElementById('" + id + "').value"));
  }

  private String text(String id) throws Exception {
    return browser.value("document.getElementById('" + id + "').textContent");
  }

  private void set(String id, String value) throws Exception {
    browser.value(
        "(() => { const field = document.getElementById('ID'); field.value = 'VALUE';"
                .replace("ID", id)
                .replace("VALUE", value)
            + " field.dispatchEvent(new Event('input')); field.dispatchEvent(new Event('change'));"
            + " })()");
  }

  private void click(String selector) throws Exception {
    browser.value("document.querySelector('" + selector + "').click()");
  }

  @Test
  void itsNumbersAreThoseOfTheMetrics() throws Exception {
    start("cache_dir aufs " + dir.resolve("cache") + " 16 16 256");
    traffic();
    double pausesBefore = metric(metrics(), "loligo_gc_pauses_total");
    open(WIDE, "light");
    String metrics = metrics();
    for (String name : new String[] {"memory_hit", "miss", "own_answer"}) {
      assertThat(cell("classes", name.replace('_', ' '), 6))
          .as(name)
          .isPositive()
          .isEqualTo(metric(metrics, "loligo_exchanges_total{class=\"" + name + "\"}"));
    }
    assertThat(cell("protocols", "HTTP/1.1", 2)).isEqualTo(5);
    assertThat(cell("protocols", "HTTP/1.1", 5)).isPositive();
    assertThat(browser.value("document.getElementById('requests-sub').dataset.total"))
        .isEqualTo("5");
    double hits = metric(metrics, "loligo_hits_total");
    assertThat(figure("hit-ratio")).isEqualTo(hits / 5, within(1e-9));
    assertThat(figure("byte-hit-ratio"))
        .isEqualTo(
            metric(metrics, "loligo_client_hit_sent_bytes_total")
                / metric(metrics, "loligo_client_sent_bytes_total"),
            within(1e-9));
    double boundMicros = boundSeconds(metrics, 3) * 1e6;
    assertThat(cell("classes", "memory hit", 4)).isPositive().isLessThan(boundMicros * 1.04);
    assertThat(figure("hit-time")).isEqualTo(cell("classes", "memory hit", 4));
    assertThat(cell("stages", "proxy reply", 3)).isPositive();
    for (int column = 1; column <= 2; column++) {
      assertThat(cell("memory", "cache", column))
          .isEqualTo(
              metric(
                  metrics,
                  "loligo_memory_" + (column == 1 ? "used" : "limit") + "_bytes{owner=\"cache\"}"));
    }
    assertThat(cell("tiers", "memory", 1)).isEqualTo(metric(metrics, "loligo_store_entries"));
    String path = dir.resolve("cache").toString();
    assertThat(cell("tiers", path, 1))
        .isEqualTo(metric(metrics, "loligo_disk_objects{path=\"" + path + "\"}"))
        .isPositive();
    assertThat(cell("disks", path, 4))
        .isEqualTo(metric(metrics, "loligo_disk_writes_total{path=\"" + path + "\"}"));
    assertThat(cell("connections", "To origins and parents", 1))
        .isEqualTo(metric(metrics, "loligo_server_connections"));
    assertThat(cell("gc", "Number", 2))
        .as("a collection may come between the page and the metrics")
        .isBetween(pausesBefore, metric(metrics(), "loligo_gc_pauses_total"));
    assertThat(metrics).contains("loligo_loop_lag_seconds{loop=\"0\"}");
    assertThat(cell("loops", "0", 1)).isNotNegative();
    assertThat(browser.problems()).isEmpty();
  }

  @Test
  void itsControlsWork() throws Exception {
    start("loligo_admin_secret s3cret");
    traffic();
    open(WIDE, "light");
    pauses();
    click("input[value=\"1h\"]");
    browser.await(
        "performance.getEntriesByType('resource').some(e => e.name.includes('range=1h'))");
    click("input[value=\"5m\"]");
    set("explain-url", origin.url("/a"));
    click("#explain-form button");
    browser.await("document.getElementById('explain-text').textContent.includes('decision')");
    assertThat(text("explain-status")).contains("because");
    explainsAQuery();
    searches();
    purges();
    assertThat(browser.problems())
        .as("the refused purge")
        .hasSize(1)
        .allMatch(one -> one.contains("403"));
  }

  private void explainsAQuery() throws Exception {
    String hidden = "document.getElementById('explain-content-field').hidden";
    assertThat(browser.value(hidden)).isEqualTo("true");
    set("explain-method", "QUERY");
    assertThat(browser.value(hidden)).isEqualTo("false");
    set("explain-content", "a question");
    click("#explain-form button");
    browser.await("document.getElementById('explain-text').textContent.startsWith('QUERY')");
    assertThat(
            browser.value(
                "performance.getEntriesByType('resource').at(-1).name.includes('a+question')"))
        .isEqualTo("true");
    set("explain-method", "GET");
  }

  private void pauses() throws Exception {
    click("#pause");
    browser.await("document.getElementById('state-text').textContent === 'Paused'");
    String before = text("up");
    browser.await(
        "Number(document.documentElement.dataset.events) >= 2 + (window.seen ??="
            + " Number(document.documentElement.dataset.events))");
    assertThat(text("up")).isEqualTo(before);
    click("#pause");
    browser.await("document.getElementById('state-text').textContent === 'Live'");
    assertThat(text("up")).isNotEqualTo(before);
  }

  private void searches() throws Exception {
    set("config-search", "cache_mem");
    browser.await("document.querySelectorAll('#config-table tbody tr').length === 1");
    assertThat(browser.value("document.querySelector('#config-table tbody tr').textContent"))
        .contains("cache_mem", "32 MB", ":");
    click("#config-own");
    set("config-search", "");
    browser.await("document.querySelectorAll('#config-table tbody tr').length > 100");
    click("#config-again");
    browser.await(
        "performance.getEntriesByType('resource').filter(e => e.name.endsWith('/config')).length"
            + " === 2");
  }

  private void purges() throws Exception {
    set("purge-value", origin.url("/a"));
    set("purge-secret", "wrong");
    click("#purge-form button");
    assertThat(text("purge-text")).contains(origin.url("/a"));
    click("#purge-dialog button[value=no]");
    browser.await("!document.getElementById('purge-dialog').open");
    assertThat(text("purge-status")).isEmpty();
    click("#purge-form button");
    click("#purge-yes");
    browser.await("document.getElementById('purge-status').textContent.includes('Bearer')");
    assertHit(get("/a"));
    set("purge-secret", "s3cret");
    click("#purge-soft");
    click("#purge-form button");
    assertThat(text("purge-question")).isEqualTo("Purge softly?");
    click("#purge-yes");
    browser.await(
        "document.getElementById('purge-status').textContent.startsWith('Purged: 1 in memory')");
    browser.await("performance.getEntriesByType('resource').some(e => e.name.includes('soft=1'))");
    get("/a");
    assertThat(origin.fetches("/a")).isEqualTo(2);
    purgesByPattern();
  }

  private void purgesByPattern() throws Exception {
    set("purge-kind", "pattern");
    set("purge-value", "/[a]$");
    set("purge-where", origin.authority().replaceFirst(":.*", ""));
    click("#purge-soft");
    browser.value("document.getElementById('purge-status').textContent = ''");
    click("#purge-form button");
    assertThat(text("purge-text")).contains("No longer served", "match /[a]$");
    click("#purge-yes");
    browser.await(
        "document.getElementById('purge-status').textContent.startsWith('Purged: 1 in memory')");
    get("/a");
    assertThat(origin.fetches("/a")).isEqualTo(3);
  }

  @Test
  void itsTablesShowClientsAndOriginsAndExplainARequestOfARow() throws Exception {
    start();
    traffic();
    String hostile = "/%3Cimg%20src=x%20onerror=alert(1)%3E'\"&lt;b&gt;";
    origin.onOk(hostile, "hello", "Cache-Control: max-age=1000");
    get(hostile);
    origin.onOk("/query?a=b", "hello");
    get("/query?a=b");
    exchange("OPTIONS", "/a", "Max-Forwards: 0");
    open(WIDE, "dark");
    browser.await("document.querySelector('#slowest tbody button')");
    assertThat(cell("origins", origin.authority(), 2)).isEqualTo(6);
    assertThat(cell("origins", origin.authority(), 4)).isEqualTo(3);
    // the last one may be counted later
    assertThat(cell("clients", "127.0.0.1", 2)).isIn(7.0, 8.0);
    assertThat(cell("misses", "nothing stored", 2)).isEqualTo(3);
    assertThat(browser.value("document.querySelectorAll('#slowest .track > span').length > 0"))
        .isEqualTo("true");
    click("#origins [data-by=bytes] button");
    assertThat(browser.value("document.querySelector('#origins [aria-sort]').dataset.by"))
        .isEqualTo("bytes");
    String url = origin.url(hostile);
    browser.value(
        "[...document.querySelectorAll('#slowest tbody button')].find(button =>"
            + " button.dataset.of.includes('onerror')).click()");
    browser.await("document.getElementById('explain-text').textContent.includes('decision')");
    assertThat(browser.value("document.getElementById('explain-url').value")).isEqualTo(url);
    assertThat(browser.value("document.querySelectorAll('img').length")).isEqualTo("1");
    explainsNoRowWithoutItsQuery();
    assertThat(browser.problems()).isEmpty();
  }

  /** The table lacks the query, so that its URL is another one. */
  private void explainsNoRowWithoutItsQuery() throws Exception {
    browser.value(
        "[...document.querySelectorAll('#slowest tbody button')].find(button =>"
            + " button.dataset.of.endsWith('/query?')).click()");
    assertThat(text("explain-status")).contains("add it");
    assertThat(browser.value("document.activeElement.value")).isEqualTo(origin.url("/query?"));
    assertThat(browser.value("document.getElementById('explain-box').hidden")).isEqualTo("true");
  }

  /**
   * Each stop of the tabulator key comes behind the one before, and shows that it has the focus.
   */
  @Test
  void theKeyboardReachesEachControlInOrder() throws Exception {
    start();
    for (int i = 0; i <= FIRST_ROWS; i++) {
      origin.onOk("/" + i, "hello");
      get("/" + i);
    }
    open(WIDE, "light");
    browser.await("document.querySelector('#slowest tbody button')");
    click("#pause"); // no row comes or goes
    List<String> stops = new ArrayList<>();
    String stop = "";
    while (!stop.equals("end") && stops.size() < MOST_STOPS) {
      browser.tab();
      stop = browser.value(STOP);
      stops.add(stop);
    }
    assertThat(stops).doesNotHaveDuplicates().endsWith("end");
    assertThat(stops).noneMatch(one -> one.contains("out of order") || one.contains("no outline"));
    assertThat(browser.value("missed().map(one => one.outerHTML).join()")).isEmpty();
    click("#slowest ~ .more");
    assertThat(browser.value("document.querySelectorAll('#slowest tbody tr').length"))
        .isEqualTo(Integer.toString(FIRST_ROWS + 1));
    click("#slowest ~ .more");
    assertThat(browser.value("document.querySelectorAll('#slowest tbody tr').length"))
        .isEqualTo(Integer.toString(FIRST_ROWS));
    assertThat(browser.problems()).isEmpty();
  }

  private void showWhatIf() throws Exception {
    show("whatif", "WhatIf", WHAT_IF);
  }

  private void showCluster() throws Exception {
    show("cluster", "Cluster", CLUSTER);
  }

  /** Shows {@code answer} in a section that the proxy of the test lacks. */
  private void show(String section, String name, String answer) throws Exception {
    browser.value(
        """
        (async () => {
          const page = document.querySelector('script[type=module]').src;
          const { NAME } = await import(page.replace('page.js', 'SECTION.js'));
          document.getElementById('SECTION').hidden = false;
          new NAME().show(ANSWER);
        })()\
        """
            .replace("NAME", name)
            .replace("SECTION", section)
            .replace("ANSWER", answer));
  }

  private String row(String table, String first) throws Exception {
    return browser.value(
        "[...document.querySelectorAll('#TABLE tbody tr')].find(row => row.cells[0].textContent ==="
                .replace("TABLE", table)
            + " '"
            + first
            + "')?.innerText.replace(/\\s+/g, ' ')");
  }

  @Test
  void itsClusterHasTheNodesAndTheirStates() throws Exception {
    start();
    traffic();
    open(WIDE, "light");
    assertThat(browser.value("document.getElementById('cluster').hidden"))
        .as("no line makes it a node")
        .isEqualTo("true");
    showCluster();
    assertThat(text("cluster-name")).isEqualTo("<b>web</b>, mode share");
    assertThat(text("cluster-state"))
        .startsWith("3 of 4 nodes are there. ")
        .contains("validates what it has", "An operator drains", "is behind with purges");
    assertThat(row("cluster-nodes", "10.0.0.1:7800")).contains("draining, this one", "0.0 %");
    assertThat(row("cluster-nodes", "10.0.0.2:7800")).contains("member", "33.3 %");
    assertThat(row("cluster-nodes", "10.0.0.3:7800")).contains("out of routing", "66.7 %");
    assertThat(cell("cluster-purges", "Lag: known and not carried out", 1)).isEqualTo(17);
    assertThat(cell("cluster-purges", "Changes of the members", 1)).isEqualTo(4);
    assertThat(cell("cluster-peers", "Requests to other nodes", 1)).isEqualTo(1_000_000);
    assertThat(cell("cluster-peers", "Nodes out of routing", 1)).isEqualTo(1);
    assertThat(row("cluster-peers", "Acknowledgement, p99")).endsWith("2.5 ms");
    assertThat(row("cluster-peers", "Size of the copies")).endsWith("2 MB");
    assertThat(browser.problems()).isEmpty();
  }

  @Test
  void itsClusterIsThatOfTheNode() throws Exception {
    int port = ProxyProcess.freePort();
    String place = "127.0.0.1:" + port;
    start(
        "loligo_cluster web listen=%s members=%s mode=purge bodies=%s"
            .formatted(place, place, ProxyProcess.freePort()));
    traffic();
    open(WIDE, "dark");
    browser.await("document.querySelector('#cluster-nodes tbody th')");
    assertThat(browser.value("document.getElementById('cluster').hidden")).isEqualTo("false");
    assertThat(text("cluster-state")).startsWith("1 of 1 nodes are there.");
    assertThat(row("cluster-nodes", place)).contains("member, this one");
    assertThat(browser.value("document.querySelector('#cluster-peers tbody').innerText"))
        .isEqualTo("This cluster shares no cache.");
    assertThat(browser.problems()).isEmpty();
  }

  @Test
  void itsOtherSectionsShowOtherSizesAndFaultsOfOrigins() throws Exception {
    start();
    traffic();
    open(WIDE, "light");
    browser.await(
        "[...document.querySelectorAll('#findings tbody th')].some(th => th.textContent === 'ORIGIN')"
            .replace("ORIGIN", origin.authority()));
    showWhatIf();
    assertThat(browser.value("document.querySelector('#whatif-memory .verdict').textContent"))
        .isEqualTo("Doubling cache_mem: +6.1 points of hit ratio; halving: -5.0");
    assertThat(browser.value("document.querySelector('#whatif-memory table').innerText"))
        .contains("+6.1 points", "50.0 %", "2 MB");
    assertThat(browser.value("!document.querySelector('#whatif-memory canvas')"))
        .isEqualTo("false");
    assertThat(browser.value("document.getElementById('whatif-disk').hidden")).isEqualTo("true");
    assertThat(browser.problems()).isEmpty();
  }

  /** Notes each text that is drawn on a canvas, and how much of it is outside. */
  private static final String NOTE_TEXTS =
      """
      (() => {
        window.drawn = [];
        const draw = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
          const width = this.measureText(text).width;
          const at = this.getTransform().transformPoint({ x, y });
          const left = { right: at.x - width, center: at.x - width / 2 }[this.textAlign] ?? at.x;
          drawn.push({ text, cut: Math.max(0, -left, left + width - this.canvas.width) });
          draw.call(this, text, x, y);
        };
      })()\
      """;

  private void seesSeconds(int more) throws Exception {
    browser.await(
        "Number(document.documentElement.dataset.events) >= MORE + (window.begun ??= Number(document.documentElement.dataset.events))"
            .replace("MORE", Integer.toString(more)));
  }

  @ParameterizedTest
  @ValueSource(ints = {WIDE, NARROW})
  void itCanBeReadAt100000RequestsASecond(int width) throws Exception {
    int rate = 100_000;
    try (PacedPage page = new PacedPage(rate)) {
      open(width, "light", page.port());
      browser.value(NOTE_TEXTS);
      seesSeconds(2);
      assertThat(text("requests")).isEqualTo("100,000");
      assertThat(figure("requests")).isEqualTo(rate);
      assertThat(text("requests-sub"))
          .matches("a second, [0-9]+00,000 in all|a second, [0-9.]+ M in all");
      assertThat(text("sent")).isEqualTo("477 MB");
      assertThat(figure("sent")).isEqualTo(rate * (double) PacedPage.BYTES);
      assertThat(text("hit-ratio")).isEqualTo("75.0 %");
      long total =
          Long.parseLong(browser.value("document.getElementById('requests-sub').dataset.total"));
      assertThat(total).isPositive();
      assertThat(total % rate).isZero();
      assertThat(cell("classes", "memory hit", 6)).isEqualTo(total * 0.75);
      assertThat(cell("classes", "miss", 4)).isBetween(86_000.0, 94_000.0);
      assertThat(
              browser.value(
                  "document.querySelector('.chart .legend').innerText.replace(/\\s+/g, ' ')"))
          .startsWith("hits 75,000 ")
          .contains("misses 25,000");
      assertThat(
              browser.value("drawn.filter(one => one.cut > 0.5).map(one => one.text).join(', ')"))
          .as("labels of axes that are cut")
          .isEmpty();
      assertThat(browser.value("drawn.map(one => one.text).join(' ')")).contains("100,000", "MB");
      assertThat(
              browser.value(
                  "new Set(drawn.map(one => one.text).filter(text => /^[0-9]+:[0-9]+$/.test(text)))"
                      + ".size"))
          .as("times on the axis")
          .isIn("4", "5");
      assertThat(browser.value("document.documentElement.scrollWidth"))
          .isEqualTo(Integer.toString(width));
      assertThat(
              browser.value(
                  "[...document.querySelectorAll('.figures *')].filter(one => one.scrollWidth >"
                      + " one.clientWidth + 1 && one.clientWidth > 0).map(one => one.id).join()"))
          .as("numbers that are cut")
          .isEmpty();
      browser.await("document.querySelector('#origins tbody th, #origins tbody td')");
      assertThat(cell("origins", "origin.test:80", 2) % rate).isZero();
      assertThat(
              Double.parseDouble(
                  browser.value(
                      "fetch('/history?range=5m&series=exchanges.*').then(answer =>"
                          + " answer.json()).then(history =>"
                          + " Object.values(history.series).flat().reduce((a, b) => a + b, 0))")))
          .isGreaterThanOrEqualTo(total);
      keepPicture("busy-" + width);
      assertThat(browser.problems()).isEmpty();
    }
  }

  /** A busy month: 260 thousand million requests, 1.3 PB. */
  @Test
  void itsFormatsHoldTheTotalsOfABusyMonth() throws Exception {
    try (PacedPage page = new PacedPage(0)) {
      open(NARROW, "dark", page.port());
      String formats =
          browser.value(
              """
              import(document.querySelector('script[type=module]').src.replace('page.js', 'format.js'))
                .then(of => [of.number(1e5), of.number(123456789), of.number(2.592e11), of.count(2.592e11),
                  of.bytes(5e8), of.bytes(1.296e15), of.time(0.2), of.ratio(0.99999), of.number(0)].join('; '))\
              """);
      assertThat(formats)
          .isEqualTo(
              "100,000; 123 M; 259 G; 259,200,000,000; 477 MB; 1,179 TB; 0.2 µs; 100.0 %; 0");
      seesSeconds(1);
      assertThat(text("requests")).isEqualTo("0");
      assertThat(text("sent")).isEqualTo("0 B");
      assertThat(text("hit-ratio")).isEqualTo("–");
      assertThat(browser.value("document.documentElement.scrollWidth"))
          .isEqualTo(Integer.toString(NARROW));
      assertThat(browser.problems()).isEmpty();
    }
  }

  /** Least width of a cell of a table, or the most of its right edge, in pixels. */
  private double pixels(String table, String cells, String number) throws Exception {
    String all = "[...document.querySelectorAll('#" + table + " tbody " + cells + "')]";
    return Double.parseDouble(
        browser.value(all + ".map(cell => cell.getBoundingClientRect())." + number));
  }

  @Test
  void itsWideTablesFitAPhone() throws Exception {
    start();
    traffic();
    open(NARROW, "light");
    show("lint", "Lint", LINT);
    showCluster();
    String right = "reduce((most, box) => Math.max(most, box.right), 0)";
    String width = "reduce((least, box) => Math.min(least, box.width), 1e6)";
    assertThat(pixels("findings", ".wrap", width)).isGreaterThan(300);
    assertThat(pixels("findings", "td", right)).isLessThan(NARROW);
    assertThat(pixels("cluster-nodes", "td", right)).isLessThan(NARROW);
    assertThat(pixels("classes", "td:nth-child(6)", right)).isLessThan(NARROW);
    assertThat(browser.problems()).isEmpty();
  }

  @Test
  void axeFindsNothingInBothSchemesAndWidths() throws Exception {
    start();
    traffic();
    open(WIDE, "light");
    showWhatIf();
    showCluster();
    browser.value("(() => {" + axe() + "\n})()");
    for (String scheme : new String[] {"light", "dark"}) {
      for (int width : new int[] {WIDE, NARROW}) {
        browser.show(width, HEIGHT, scheme);
        assertThat(
                browser.value(
                    "axe.run().then(found => found.violations.map(one => one.id + ': ' +"
                        + " one.nodes.map(node => node.target + ' ' + node.failureSummary).join(';"
                        + " ')).join('\\n"
                        + "'))"))
            .as("%s, %s px", scheme, width)
            .isEmpty();
        assertThat(browser.value("document.documentElement.scrollWidth"))
            .as("no scrolling sideways")
            .isEqualTo(Integer.toString(width));
        keepPicture(scheme + "-" + width);
      }
    }
    assertThat(browser.problems()).isEmpty();
  }

  private static String axe() throws Exception {
    try (InputStream file = LivePageBrowserTest.class.getResourceAsStream("axe.min.js")) {
      return new String(file.readAllBytes(), UTF_8);
    }
  }

  private void keepPicture(String name) throws Exception {
    String folder = System.getProperty("loligo.pictures");
    if (folder != null) {
      Files.write(Path.of(folder, name + ".png"), browser.picture());
    }
  }
}
