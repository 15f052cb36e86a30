// Sends one request through a tunnel: client PROXY_PORT ORIGIN_PORT CA_FILE h1|h2
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	pem, err := os.ReadFile(os.Args[3])
	check(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	proxy, err := url.Parse("http://127.0.0.1:" + os.Args[1])
	check(err)
	client := &http.Client{Transport: &http.Transport{
		Proxy:             http.ProxyURL(proxy),
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2: os.Args[4] == "h2",
	}}
	request, err := http.NewRequest("POST", "https://localhost:"+os.Args[2]+"/matrix/a%20b?q=1&r=%2F",
		strings.NewReader("hello, origin\n"))
	check(err)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "text/plain")
	request.Header.Set("Authorization", "Bearer PLACEHOLDER_TOKEN")
	request.Header.Set("X-One", "1")
	response, err := client.Do(request)
	check(err)
	body, err := io.ReadAll(response.Body)
	check(err)
	fmt.Println(response.StatusCode, string(body))
}
