package example;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/** Products with prices. Their pages stay in the cache until the price changes. */
@SpringBootApplication
@RestController
public class Shop {
  private final Map<String, String> prices = new ConcurrentHashMap<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private final URI purges;

  Shop(@Value("${loligo.purges}") URI purges) {
    this.purges = purges;
  }

  public static void main(String[] arguments) {
    SpringApplication.run(Shop.class, arguments);
  }

  @GetMapping("/products/{id}")
  ResponseEntity<String> product(@PathVariable String id) {
    String price = prices.getOrDefault(id, "10");
    String url = ServletUriComponentsBuilder.fromCurrentRequest().toUriString();
    return ResponseEntity.ok()
        .cacheControl(CacheControl.maxAge(Duration.ofHours(1)).cachePublic())
        .eTag(id + "-" + price)
        .header("Surrogate-Key", "product-" + id)
        .body(url + " costs " + price + "\n");
  }

  @PutMapping("/products/{id}/price")
  void change(@PathVariable String id, @RequestBody String price)
      throws IOException, InterruptedException {
    prices.put(id, price);
    HttpRequest purge =
        HttpRequest.newBuilder(purges)
            .method("PURGE", HttpRequest.BodyPublishers.noBody())
            .header("Surrogate-Key", "product-" + id)
            .timeout(Duration.ofSeconds(10))
            .build();
    int status = client.send(purge, HttpResponse.BodyHandlers.discarding()).statusCode();
    if (status != 200) {
      throw new IOException("the cache has not confirmed the purge: " + status);
    }
  }
}
