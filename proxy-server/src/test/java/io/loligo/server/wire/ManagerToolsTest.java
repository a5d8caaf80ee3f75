package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.loligo.server.history.HistoryRecorder;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What known programs find in manager pages: squid-exporter for Prometheus (github.com/boynux/
 * squid-exporter), plugins of Munin, squidclient.
 */
class ManagerToolsTest extends WireTest {
  private static final int HISTORY_BYTES = 2 << 20;

  /** Two misses, three hits on 100,000 bytes, and an error. */
  @BeforeEach
  void serve() throws Exception {
    startProxy(
        "cache_dir ufs " + dir.resolve("cache") + " 100 16 256",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver",
        "never_direct allow all",
        "cachemgr_passwd sesame config");
    HistoryRecorder recorder = proxy.keepHistory(HISTORY_BYTES, dir.resolve("loligo.history"));
    recorder.start().get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
    origin.onOk("/stored", "x".repeat(100_000), "Cache-Control: max-age=1000");
    origin.onOk("/other", "y", "Cache-Control: no-store");
    get("/stored");
    get("/stored");
    get("/stored");
    get("/stored");
    get("/other");
    awaitLoop();
    awaitCount(() -> proxy.errors("ERR_ONLY_IF_CACHED_MISS"), 1);
    spendCpu();
    recorder.sample();
  }

  /** Until the system's count, which has steps of 10 ms, has grown. */
  private static void spendCpu() {
    var system =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long before = system.getProcessCpuTime();
    while (system.getProcessCpuTime() == before) {
      Thread.onSpinWait();
    }
  }

  private String page(String name) throws Exception {
    String url = "cache_object://localhost/" + name;
    return client().send("GET " + url + " HTTP/1.0\r\n\r\n").response().text();
  }

  private static Map<String, Double> byEquals(String text) {
    Map<String, Double> values = new LinkedHashMap<>();
    for (String line : text.lines().toList()) {
      int equals = line.indexOf('=');
      assertThat(equals).as(line).isPositive();
      String value = line.substring(equals + 1).strip().split(" ", -1)[0];
      values.put(line.substring(0, equals).strip(), Double.parseDouble(value));
    }
    return values;
  }

  @Test
  void theExporterReadsCounters() throws Exception {
    Map<String, Double> counters = byEquals(page("counters"));
    List<String> wanted =
        new ArrayList<>(
            List.of("client_http.hits", "client_http.errors", "client_http.hit_kbytes_out"));
    for (String part : List.of("client_http", "server.all", "server.http", "server.ftp")) {
      for (String number : List.of("requests", "errors", "kbytes_in", "kbytes_out")) {
        wanted.add(part + "." + number);
      }
    }
    wanted.addAll(List.of("server.other.requests", "server.other.errors"));
    wanted.addAll(List.of("swap.ins", "swap.outs", "swap.files_cleaned"));
    assertThat(counters).containsKeys(wanted.toArray(String[]::new));
    assertThat(counters)
        .containsEntry("client_http.requests", 6.0)
        .containsEntry("client_http.hits", 3.0)
        .containsEntry("client_http.errors", 1.0)
        .containsEntry("server.http.requests", 2.0);
    assertThat(counters.get("client_http.hit_kbytes_out")).isBetween(293.0, 295.0);
    assertThat(counters.get("server.all.kbytes_in")).isBetween(97.0, 99.0);
    assertThat(counters.get("sample_time")).isGreaterThan(1e9);
  }

  /** Key, percent and the value of five minutes. */
  @Test
  void theExporterReadsServiceTimes() throws Exception {
    Map<String, Double> times = new LinkedHashMap<>();
    for (String line : page("service_times").lines().toList()) {
      if (line.endsWith(":")) {
        continue;
      }
      int colon = line.indexOf(':');
      String key = line.substring(0, colon).strip().replace(' ', '_').replaceAll("[()]", "");
      String[] value = line.substring(colon + 1).split("%", 2);
      times.put(
          key + "_" + value[0].strip(), Double.parseDouble(value[1].strip().split(" ", -1)[0]));
    }
    for (String kind :
        List.of("HTTP_Requests_All", "Cache_Misses", "Cache_Hits", "Near_Hits", "DNS_Lookups")) {
      for (int percent = 5; percent <= 95; percent += 5) {
        assertThat(times).containsKey(kind + "_" + percent);
      }
    }
    assertThat(times.get("HTTP_Requests_All_95")).isPositive();
    assertThat(times.get("Cache_Hits_50")).isPositive();
    assertThat(times.get("Cache_Misses_50")).isGreaterThanOrEqualTo(times.get("Cache_Misses_5"));
    assertThat(times.get("Near_Hits_50")).isZero();
  }

  @Test
  void theExporterReadsInfo() throws Exception {
    Map<String, String> info = info();
    assertThat(info)
        .containsEntry("Number_of_HTTP_requests_received", "6")
        .containsEntry("Number_of_clients_accessing_cache", "1")
        .containsEntry("Hits_as_%_of_all_requests", "5min: 50.0%, 60min: 50.0%")
        .containsEntry("Memory_hits_as_%_of_hit_requests", "5min: 100.0%, 60min: 100.0%")
        .containsEntry("Disk_hits_as_%_of_hit_requests", "5min: 0.0%, 60min: 0.0%")
        .containsEntry("Hot_Object_Cache_Items", "1");
    for (String number :
        List.of(
            "Average_HTTP_requests_per_minute_since_start",
            "Number_of_ICP_messages_received",
            "Request_failure_ratio",
            "Storage_Swap_size",
            "Storage_Swap_capacity",
            "Storage_Mem_size",
            "Storage_Mem_capacity",
            "Mean_Object_Size",
            "UP_Time",
            "CPU_Time",
            "CPU_Usage",
            "Maximum_Resident_Size",
            "CPU_Usage_5_minute_avg",
            "CPU_Usage_60_minute_avg",
            "Select_loop_called",
            "Page_faults_with_physical_io",
            "Total_accounted",
            "memPoolAlloc_calls",
            "memPoolFree_calls",
            "Maximum_number_of_file_descriptors",
            "Largest_file_desc_currently_in_use",
            "Number_of_file_desc_currently_in_use",
            "Available_number_of_file_descriptors",
            "Reserved_number_of_file_descriptors",
            "Store_Disk_files_open",
            "StoreEntries",
            "StoreEntries_with_MemObjects",
            "on_disk_objects")) {
      String first = info.get(number);
      assertThat(first).as(number).isNotNull();
      assertThat(first.split(" ", -1)[0].replaceAll("[%,]", "")).as(number).matches("[0-9.]+");
    }
    for (String counted :
        List.of(
            "CPU_Usage_5_minute_avg",
            "Select_loop_called",
            "memPoolAlloc_calls",
            "Store_Disk_files_open",
            "Largest_file_desc_currently_in_use")) {
      assertThat(number(info, counted)).as(counted).isPositive();
    }
    assertThat(number(info, "Largest_file_desc_currently_in_use"))
        .isLessThan(number(info, "Maximum_number_of_file_descriptors"));
    assertThat(page("info")).startsWith("Squid Object Cache: Version ");
  }

  private static double number(Map<String, String> info, String name) {
    return Double.parseDouble(info.get(name).split(" ", -1)[0].replace("%", ""));
  }

  /** By the exporter's keys: {@code KEY: VALUE}, or {@code VALUE KEY} without a colon. */
  private Map<String, String> info() throws Exception {
    Map<String, String> info = new LinkedHashMap<>();
    for (String line : page("info").lines().toList()) {
      int colon = line.indexOf(':');
      String text = line.strip();
      if (line.endsWith(":")) {
        continue;
      }
      if (colon >= 0) {
        String key = line.substring(0, colon).strip().replace(' ', '_');
        info.put(key.replaceAll("[(),/]", ""), line.substring(colon + 1).strip());
      } else {
        int blank = text.indexOf(' ');
        String key = text.substring(blank + 1).strip().replace(' ', '_').replace('-', '_');
        info.put(key, text.substring(0, blank));
      }
    }
    return info;
  }

  private static List<String> found(String expression, String page) {
    List<String> found = new ArrayList<>();
    Pattern pattern = Pattern.compile(expression);
    for (String line : page.lines().toList()) {
      Matcher matcher = pattern.matcher(line);
      if (matcher.find()) {
        found.add(matcher.group(1) + " " + matcher.group(matcher.groupCount()));
      }
    }
    return found;
  }

  @Test
  void muninReadsRequestsAndTraffic() throws Exception {
    assertThat(found("client_http.(requests|hits|errors) = (\\d+)", page("counters")))
        .containsExactly("requests 6", "hits 3", "errors 1");
    assertThat(
            found(
                "client_http.(kbytes_in|kbytes_out|hit_kbytes_out) =\\s+(-?\\d+)",
                page("counters")))
        .hasSize(3)
        .anyMatch(line -> line.startsWith("hit_kbytes_out 29"));
  }

  @Test
  void muninReadsTheSizesOfTheCache() throws Exception {
    List<String> sizes = found("(Maximum|Current) Size:\\s+(\\d+)", page("storedir"));
    assertThat(sizes).hasSize(2).first().isEqualTo("Maximum 102400");
    assertThat(found("^.*?\\:\\s+(\\d+(?:\\.\\d+)?)\\s+(M|K)?B$", mean())).hasSize(1);
    assertThat(found("Address[^:]+:\\s*([\\d\\.]+)\\s*$", page("server_list")))
        .containsExactly("127.0.0.1 127.0.0.1");
    assertThat(found("FETCHES\\s*:\\s*(\\d+)", page("server_list"))).containsExactly("2 2");
  }

  private String mean() throws Exception {
    return page("info").lines().filter(line -> line.contains("Mean Object Size")).findAny().get();
  }

  /** The plugins of the package munin-plugins-core, as munin-node starts them. */
  @Test
  void muninsPluginsReadTheirPages() throws Exception {
    for (String name :
        List.of(
            "squid_cache", "squid_icp", "squid_objectsize", "squid_requests", "squid_traffic")) {
      assertThat(plugin(name, "autoconf")).as(name).isEqualTo("yes\n");
    }
    assertThat(plugin("squid_requests").lines())
        .containsExactly("requests.value 11", "hits.value 3", "errors.value 1");
    assertThat(plugin("squid_traffic"))
        .containsPattern("(?m)^kbytes_in.value [0-9]+$")
        .containsPattern("(?m)^kbytes_out.value [45][0-9]{2}$")
        .containsPattern("(?m)^hit_kbytes_out.value 29[345]$");
    assertThat(plugin("squid_cache").lines())
        .anyMatch(line -> line.equals("Maximum.value 102400"))
        .anyMatch(line -> line.matches("Current.value [0-9]+"));
    assertThat(plugin("squid_objectsize")).matches("objectsize.value [0-9.]+\n");
    assertThat(plugin("squid_icp", "config")).contains("h127001.label localhost\n");
    assertThat(plugin("squid_icp")).isEqualTo("h127001.value 2\n");
  }

  private String plugin(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of(words));
    Path program = Path.of("/usr/share/munin/plugins", words[0]);
    assumeTrue(Files.isExecutable(program), "munin-plugins-core is not installed");
    command.set(0, program.toString());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("squidhost", "127.0.0.1");
    builder.environment().put("squidport", Integer.toString(proxy.port()));
    return output(builder);
  }

  @Test
  void averagesAreOfTheHistory() throws Exception {
    String text = page("5min").replaceAll("(?m)(/sec|/fd| seconds|%)$", "");
    Map<String, Double> averages = byEquals(text);
    double seconds = averages.get("wall_time");
    assertThat(averages.get("client_http.requests") * seconds).isBetween(5.99, 6.01);
    assertThat(averages.get("client_http.hits") * seconds).isBetween(2.99, 3.01);
    assertThat(averages.get("client_http.hit_median_svc_time")).isPositive();
    assertThat(averages)
        .containsEntry("dns.median_svc_time", 0.0)
        .containsKeys("swap.outs", "page_faults");
    assertThat(averages.get("select_loops")).isPositive();
    assertThat(averages.get("select_fds")).isPositive();
    assertThat(averages.get("median_select_fds")).isBetween(1.0, 4.0);
    assertThat(averages).containsEntry("average_select_fd_period", 0.0);
    assertThat(averages.get("cpu_time")).isPositive();
    assertThat(averages.get("cpu_usage"))
        .isCloseTo(100 * averages.get("cpu_time") / seconds, withinPercentage(1));
    assertThat(byEquals(page("counters")).get("select_loops")).isPositive();
    assertThat(page("60min")).contains("client_http.kbytes_out = ");
    assertThat(page("utilization")).doesNotContain("no samples").contains("Last 3 days:\nsample_");
  }

  @Test
  void squidclientReadsPages() throws Exception {
    assertThat(squidclient("mgr:info")).contains("HTTP/1.1 200 OK", "Number of HTTP requests");
    assertThat(squidclient("mgr:menu")).contains(" config ", "\tprotected");
    assertThat(squidclient("mgr:config")).contains("HTTP/1.1 401 Unauthorized");
    assertThat(squidclient("mgr:config@sesame")).contains("visible_hostname proxy.test");
    assertThat(squidclient("-w", "sesame", "mgr:config")).contains("visible_hostname proxy.test");
    assertThat(squidclient("-w", "other", "mgr:config")).doesNotContain("visible_hostname");
  }

  private String squidclient(String... words) throws Exception {
    List<String> command =
        new ArrayList<>(List.of(InstalledProgram.path("squidclient"), "-h", "127.0.0.1"));
    command.addAll(List.of("-p", Integer.toString(proxy.port())));
    command.addAll(List.of(words));
    return output(new ProcessBuilder(command).redirectErrorStream(true));
  }

  private static String output(ProcessBuilder builder) throws Exception {
    Process process = builder.start();
    byte[] output = process.getInputStream().readAllBytes();
    assertThat(process.waitFor(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
    return new String(output, StandardCharsets.ISO_8859_1);
  }
}
