// A proxy of goproxy with the policy of the harness in a handler: hosts, one placeholder in Authorization, the fields
// that pass, and a line for each exchange.
//
// Usage: goproxy ADDRESS CA_CERT CA_KEY AUDIT ORIGIN_CA HOST
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/elazarl/goproxy"
)

const (
	placeholder = "bench-placeholder"
	credential  = "a-credential-of-forty-bytes-0123456789ab"

	// Connections to an origin that are kept while idle: the load has 32.
	idlePerHost = 256
)

var passing = map[string]bool{
	"Host": true, "User-Agent": true, "Accept": true, "Accept-Encoding": true,
	"Content-Type": true, "Content-Length": true, "Authorization": true,
}

// leaves keeps the certificates that were signed, by host; the library signs one for each tunnel otherwise.
type leaves struct {
	sync.Mutex
	byHost map[string]*tls.Certificate
}

func (l *leaves) Fetch(host string, sign func() (*tls.Certificate, error)) (*tls.Certificate, error) {
	l.Lock()
	defer l.Unlock()
	if leaf, ok := l.byHost[host]; ok {
		return leaf, nil
	}
	leaf, err := sign()
	if err == nil {
		l.byHost[host] = leaf
	}
	return leaf, err
}

type record struct {
	Host   string `json:"host"`
	Method string `json:"method"`
	Path   string `json:"path"`
	Status int    `json:"status"`
}

// audit writes one line for each exchange, through a buffer.
type audit struct {
	sync.Mutex
	out *bufio.Writer
}

func (a *audit) write(r record) {
	line, err := json.Marshal(r)
	if err != nil {
		log.Fatal(err)
	}
	a.Lock()
	defer a.Unlock()
	a.out.Write(append(line, '\n'))
}

func main() {
	if len(os.Args) != 7 {
		log.Fatal("usage: goproxy ADDRESS CA_CERT CA_KEY AUDIT ORIGIN_CA HOST")
	}
	address, host := os.Args[1], os.Args[6]
	authority := must(tls.LoadX509KeyPair(os.Args[2], os.Args[3]))
	authority.Leaf = must(x509.ParseCertificate(authority.Certificate[0]))
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(must(os.ReadFile(os.Args[5]))) {
		log.Fatalf("%s: no certificate", os.Args[5])
	}
	records := &audit{out: bufio.NewWriter(must(os.Create(os.Args[4])))}

	proxy := goproxy.NewProxyHttpServer()
	proxy.CertStore = &leaves{byHost: map[string]*tls.Certificate{}}
	proxy.Tr = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, MaxIdleConnsPerHost: idlePerHost}
	intercept := &goproxy.ConnectAction{Action: goproxy.ConnectMitm, TLSConfig: goproxy.TLSConfigFromCA(&authority)}
	proxy.OnRequest().HandleConnectFunc(func(target string, _ *goproxy.ProxyCtx) (*goproxy.ConnectAction, string) {
		return intercept, target
	})
	proxy.OnRequest().DoFunc(func(r *http.Request, _ *goproxy.ProxyCtx) (*http.Request, *http.Response) {
		if asked := strings.ToLower(r.URL.Hostname()); asked != host && !strings.HasSuffix(asked, "."+host) {
			return r, goproxy.NewResponse(r, "text/plain", http.StatusForbidden, "")
		}
		for name := range r.Header {
			if !passing[name] {
				r.Header.Del(name)
			}
		}
		if value := r.Header.Get("Authorization"); strings.Contains(value, placeholder) {
			r.Header.Set("Authorization", strings.ReplaceAll(value, placeholder, credential))
		}
		return r, nil
	})
	proxy.OnResponse().DoFunc(func(r *http.Response, ctx *goproxy.ProxyCtx) *http.Response {
		if r != nil {
			records.write(record{ctx.Req.URL.Host, ctx.Req.Method, ctx.Req.URL.Path, r.StatusCode})
		}
		return r
	})
	log.Fatal(http.ListenAndServe(address, proxy))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
